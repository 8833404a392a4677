# Finds LibTorch and makes the target sweep_libtorch from its headers and libraries.
#
# LibTorch's own CMake package is not used: in a CUDA build it stops where no CUDA toolkit is
# installed, and it brings global flags. The first usable one wins, one line says which:
#   -DTORCH_ROOT=DIR, environment LIBTORCH, the active Python's torch, Homebrew's pytorch,
#   the system's (Debian libtorch-dev), the torch in <project>/.venv.
set(SWEEP_TORCH_FLOOR 2.6)
set(TORCH_ROOT "" CACHE PATH "LibTorch to use: the folder that holds its include/ and lib/")

# Where LIBTORCH pointed when this build folder was first configured counts at later times too.
if(DEFINED ENV{LIBTORCH})
  set(SWEEP_LIBTORCH_ENV "$ENV{LIBTORCH}" CACHE INTERNAL "LIBTORCH of the environment")
endif()

# Sets <out>_include, <out>_lib, <out>_version, and <out>_problem: "" or why it cannot be used.
function(sweep_inspect_torch root out)
  set(problem "")
  set(version "")
  find_path(include ATen/ATen.h PATHS "${root}/include" NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH
            NO_CACHE)
  find_library(cpu torch_cpu PATHS "${root}/lib" "${root}/lib/${CMAKE_LIBRARY_ARCHITECTURE}"
               NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH NO_CACHE)
  string(REGEX REPLACE "/$" "" include "${include}")
  if(NOT include OR NOT cpu)
    set(problem "there is no include/ATen/ATen.h with a libtorch_cpu in ${root}")
  else()
    foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
      if(EXISTS "${include}/${header}" AND version STREQUAL "")
        file(STRINGS "${include}/${header}" line REGEX "\"[0-9]+\\.[0-9]+\\.[0-9]+[^\"]*\"")
        string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" version "${line}")
      endif()
    endforeach()
    get_filename_component(lib "${cpu}" DIRECTORY)
    if(version STREQUAL "")
      set(problem "no version can be read from its headers")
    elseif(version VERSION_LESS SWEEP_TORCH_FLOOR)
      set(problem "it is ${version}, and ${SWEEP_TORCH_FLOOR} or newer is needed")
    elseif(NOT APPLE)
      # Libraries of the old string ABI (wheels before 2.7) link with nothing that GCC makes today.
      file(STRINGS "${lib}/libc10.so" abi REGEX "torchCheckFail.*__cxx11" LIMIT_COUNT 1)
      if(NOT abi)
        set(problem "it was built with the old C++ string ABI")
      endif()
    endif()
  endif()
  set(${out}_include "${include}" PARENT_SCOPE)
  set(${out}_lib "${lib}" PARENT_SCOPE)
  set(${out}_version "${version}" PARENT_SCOPE)
  set(${out}_problem "${problem}" PARENT_SCOPE)
endfunction()

# The folder of the active Python's torch, or "". It is not imported: that takes seconds.
function(sweep_python_torch out)
  set(folder "")
  find_program(SWEEP_PYTHON3 python3)
  mark_as_advanced(SWEEP_PYTHON3)
  if(SWEEP_PYTHON3)
    execute_process(
      COMMAND
        ${SWEEP_PYTHON3} -c
        "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0])"
      OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(${out} "${folder}" PARENT_SCOPE)
endfunction()

function(sweep_homebrew_torch out)
  set(folder "")
  find_program(SWEEP_BREW brew)
  mark_as_advanced(SWEEP_BREW)
  if(SWEEP_BREW)
    execute_process(COMMAND ${SWEEP_BREW} --prefix pytorch OUTPUT_VARIABLE folder
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(${out} "${folder}" PARENT_SCOPE)
endfunction()

# One asked for is used or refused.
foreach(asked TORCH_ROOT SWEEP_LIBTORCH_ENV)
  if(${asked} AND NOT torch_origin)
    string(REPLACE SWEEP_LIBTORCH_ENV LIBTORCH torch_origin ${asked})
    sweep_inspect_torch("${${asked}}" torch)
    if(torch_problem)
      message(FATAL_ERROR "LibTorch in ${${asked}} (asked for by ${torch_origin}) cannot be used: "
                          "${torch_problem}.")
    endif()
  endif()
endforeach()

# One that happens to be there is used or passed over.
if(NOT torch_origin)
  sweep_python_torch(torch_python)
  sweep_homebrew_torch(torch_homebrew)
  file(GLOB torch_venv "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch")
  set(torch_system /usr)
  set(name_of_python "the active Python")
  set(name_of_homebrew "Homebrew")
  set(name_of_system "the system")
  set(name_of_venv ".venv")
  foreach(place python homebrew system venv)
    foreach(root ${torch_${place}})
      if(NOT torch_origin AND EXISTS "${root}/include/ATen/ATen.h")
        sweep_inspect_torch("${root}" torch)
        if(torch_problem)
          message(STATUS "LibTorch in ${root} passed over: ${torch_problem}")
        else()
          set(torch_origin "${name_of_${place}}")
        endif()
      endif()
    endforeach()
  endforeach()
endif()
if(NOT torch_origin)
  message(
    FATAL_ERROR
      "No LibTorch ${SWEEP_TORCH_FLOOR} or newer was found: run ./bootstrap, which installs one, "
      "or name one with -DTORCH_ROOT=DIR, or build without the trainer (-DSWEEP_TORCH=OFF).")
endif()

# CUDA works only where all that its library needs is there: a wheel may lie without cuDNN and
# cuBLAS, and then the CPU half still serves.
set(torch_cuda "")
set(torch_device CPU)
if(EXISTS "${torch_lib}/libtorch_cuda.so")
  execute_process(COMMAND ldd "${torch_lib}/libtorch_cuda.so" OUTPUT_VARIABLE torch_needs
                  ERROR_QUIET)
  if(torch_needs AND NOT torch_needs MATCHES "not found")
    # Nothing refers to these by name; the linker would leave them out.
    set(torch_cuda -Wl,--push-state,--no-as-needed "${torch_lib}/libtorch_cuda.so"
                   "${torch_lib}/libc10_cuda.so" -Wl,--pop-state)
    set(torch_device "CPU and CUDA")
  endif()
endif()
message(STATUS "LibTorch ${torch_version} for ${torch_device} from ${torch_origin}: ${torch_lib}")

set(suffix ${CMAKE_SHARED_LIBRARY_SUFFIX})
add_library(sweep_libtorch INTERFACE IMPORTED)
# After the system's folders: the wheel carries another fmt, whose headers would win.
target_compile_options(
  sweep_libtorch
  INTERFACE "SHELL:-idirafter \"${torch_include}\""
            "SHELL:-idirafter \"${torch_include}/torch/csrc/api/include\"")
target_link_libraries(
  sweep_libtorch INTERFACE "${torch_lib}/libtorch_cpu${suffix}" "${torch_lib}/libc10${suffix}"
                           ${torch_cuda})
