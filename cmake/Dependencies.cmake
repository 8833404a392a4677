find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(Boost CONFIG REQUIRED COMPONENTS program_options)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Threads REQUIRED)

# yaml-cpp named its target differently before 0.8.
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
