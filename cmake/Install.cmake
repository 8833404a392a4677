# `cmake --install BUILD --prefix DIR`: programs that start from there, and the example sweeps.
# The path to LibTorch goes along with them (CMAKE_INSTALL_RPATH_USE_LINK_PATH).
include(GNUInstallDirs)
foreach(program sweep sweep-train)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME)
  endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/sweeps/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sweep/sweeps
        FILES_MATCHING PATTERN "*.yaml")
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
