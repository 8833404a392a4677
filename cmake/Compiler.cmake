# One interface target carries how everything here is compiled.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# There are no modules here; looking for them reads every file twice (CMake 3.28 and newer).
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
# -O3 doubles nothing here but the compile time; kernels ask for it themselves.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

find_program(SWEEP_CCACHE ccache)
if(SWEEP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths relative to the root, so that another clone finds what this one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      ${SWEEP_CCACHE})
endif()

add_library(sweep_compiler INTERFACE)
target_include_directories(sweep_compiler INTERFACE ${PROJECT_SOURCE_DIR}/include
                                                    ${PROJECT_SOURCE_DIR}/src)
# Contracting a*b+c differs between machines; where fused arithmetic is wanted it is written so.
target_compile_options(
  sweep_compiler INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -ffp-contract=off
                           $<$<BOOL:${SWEEP_WERROR}>:-Werror>)
# GCC 12 sees overlaps that are none in std::string's operator+ (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(sweep_compiler INTERFACE -Wno-restrict)
endif()
# From 13 on it takes every reference that a function with a temporary argument returns for a dangling one.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(sweep_compiler INTERFACE -Wno-dangling-reference)
endif()
# Clang counts changes of sign among -Wconversion's, which GCC does not.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(sweep_compiler INTERFACE -Wno-sign-conversion)
endif()
# libstdc++ 12's stable_sort calls what it marks as deprecated, and Clang says so of every caller.
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  target_compile_options(sweep_compiler INTERFACE -Wno-deprecated-declarations)
endif()
