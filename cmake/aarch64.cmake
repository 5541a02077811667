# Toolchain file that compiles for aarch64 on Debian, and runs what it made under qemu. scripts/setup_aarch64 puts the
# libraries of aarch64 into .deps/aarch64 and uses this file.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

get_filename_component(libraries ${CMAKE_CURRENT_LIST_DIR}/../.deps/aarch64 ABSOLUTE)
set(CMAKE_SYSROOT ${libraries}/root)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)  # programs that run during the build are this machine's
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(LIBTORCH_ROOT ${libraries}/torch/torch CACHE PATH "The folder `torch` of a torch wheel for aarch64")
set(ARROW_ROOT ${libraries}/arrow/pyarrow CACHE PATH "The folder `pyarrow` of a pyarrow wheel for aarch64")
set(BEATSCAN_WITH_CUDA OFF CACHE BOOL "build the CUDA back end")

# With -L, qemu looks for a file in the root first, and then in this machine.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;${CMAKE_SYSROOT})
