# `cmake --install BUILD --prefix DIR`: programs that start from there, and the example sweeps.
include(GNUInstallDirs)
foreach(program sweep sweep-train)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME)
  endif()
endforeach()
if(TARGET sweep-train)
  # CMAKE_INSTALL_RPATH_USE_LINK_PATH leaves out folders of the project, and .venv is one.
  set_target_properties(sweep-train PROPERTIES INSTALL_RPATH "${torch_lib}")
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/sweeps/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sweep/sweeps
        FILES_MATCHING PATTERN "*.yaml")
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
