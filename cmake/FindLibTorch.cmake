# The C++ libraries inside a torch wheel, as imported targets:
#
#   LibTorch::c10        allocators, streams, types
#   LibTorch::cpu        tensors, autograd, modules: libtorch_cpu and c10
#   LibTorch::c10_cuda   the CUDA caching allocator and streams          } where CUDA is an enabled language
#   LibTorch::cuda       LibTorch::cpu and the CUDA back end, registered } (so enable it before find_package)
#
# LIBTORCH_ROOT is the wheel's folder `torch`; scripts/setup puts one into .deps. Torch's own CMake package is not used:
# it fails without a toolkit, names architectures that CUDA 13 dropped, and rewrites the CUDA flags.

set(LIBTORCH_ROOT "${PROJECT_SOURCE_DIR}/.deps/torch/torch" CACHE PATH "The folder `torch` of a torch wheel")
find_package(CUDAToolkit QUIET)
get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)

if(EXISTS "${LIBTORCH_ROOT}/version.py")
  file(STRINGS "${LIBTORCH_ROOT}/version.py" version REGEX "^__version__ = ")
  file(STRINGS "${LIBTORCH_ROOT}/version.py" cuda REGEX "^cuda: ")
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" LibTorch_VERSION "${version}")
  string(REGEX MATCH "[0-9]+" LibTorch_CUDA_MAJOR "${cuda}")
  set(LibTorch_LIBRARY "${LIBTORCH_ROOT}/lib/libtorch_cpu.so")
endif()

set(reason "There is no torch wheel in ${LIBTORCH_ROOT}: run scripts/setup, or give -DLIBTORCH_ROOT=.")
if("CUDA" IN_LIST languages AND LibTorch_VERSION AND NOT CUDAToolkit_VERSION_MAJOR EQUAL "${LibTorch_CUDA_MAJOR}")
  unset(LibTorch_LIBRARY)
  set(reason "LibTorch ${LibTorch_VERSION} is for CUDA ${LibTorch_CUDA_MAJOR}, nvcc is ${CUDAToolkit_VERSION}: \
install that toolkit, or give -DBEATSCAN_WITH_CUDA=OFF to build without CUDA.")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch REQUIRED_VARS LibTorch_LIBRARY VERSION_VAR LibTorch_VERSION
                                  REASON_FAILURE_MESSAGE "${reason}")
if(NOT LibTorch_FOUND OR TARGET LibTorch::c10)
  return()
endif()

function(libtorch_target name file)
  add_library(LibTorch::${name} SHARED IMPORTED)
  set_target_properties(LibTorch::${name} PROPERTIES IMPORTED_LOCATION "${LIBTORCH_ROOT}/lib/lib${file}.so")
  target_link_libraries(LibTorch::${name} INTERFACE ${ARGN})
endfunction()

# The libraries find what they need in turn in the toolkit, or in the nvidia wheels next to torch. An old-style RPATH,
# because a RUNPATH would not serve the libraries of a library.
libtorch_target(c10 c10)
target_include_directories(LibTorch::c10 INTERFACE "${LIBTORCH_ROOT}/include")
target_link_options(LibTorch::c10 INTERFACE LINKER:--disable-new-dtags)
# PyTorch is compiled by GCC, and later versions of Clang give templates with constraints other names than GCC does.
target_compile_options(LibTorch::c10 INTERFACE
  "$<$<AND:$<COMPILE_LANG_AND_ID:CXX,Clang>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,18>>:-fclang-abi-compat=17>")
get_filename_component(wheels "${LIBTORCH_ROOT}" DIRECTORY)
file(GLOB folders "${wheels}/nvidia/*/lib")
foreach(folder IN LISTS CUDAToolkit_LIBRARY_DIR folders ITEMS "${LIBTORCH_ROOT}/lib")
  target_link_options(LibTorch::c10 INTERFACE "LINKER:-rpath,${folder}")
endforeach()

libtorch_target(cpu torch_cpu LibTorch::c10)
target_include_directories(LibTorch::cpu INTERFACE "${LIBTORCH_ROOT}/include/torch/csrc/api/include")

if("CUDA" IN_LIST languages)
  libtorch_target(c10_cuda c10_cuda LibTorch::c10 CUDA::cudart)
  libtorch_target(cuda torch_cuda LibTorch::cpu LibTorch::c10_cuda)
  # No symbol of libtorch_cuda is used by name: it registers itself when it is loaded.
  target_link_options(LibTorch::cuda INTERFACE LINKER:--no-as-needed)
endif()
