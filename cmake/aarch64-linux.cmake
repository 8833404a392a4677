# Preset arm64: builds for 64-bit ARM on another machine, whose qemu then runs the programs. The
# sysroot holds what the programs need of Debian and LibTorch's wheel: see docs/devices.md.
get_filename_component(sysroot "${CMAKE_CURRENT_LIST_DIR}/../.cache/arm64" ABSOLUTE)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_SYSROOT "${sysroot}")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L "${sysroot}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
