# The code version that locks record: taken at build time, so that it is never stale.
set(SWEEP_VERSION_FILE ${PROJECT_BINARY_DIR}/generated/sweep_version.cpp)
add_custom_target(
  sweep_version_file
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${SWEEP_VERSION_FILE}
          -DVERSION=${PROJECT_VERSION} -P ${PROJECT_SOURCE_DIR}/cmake/WriteVersion.cmake
  BYPRODUCTS ${SWEEP_VERSION_FILE}
  COMMENT "Reading the code version")
