# Chooses the GPUs that the kernels are compiled for, as CMAKE_CUDA_ARCHITECTURES. It must be included before CUDA is
# enabled.
#
# BEATSCAN_ALL_CUDA_ARCHITECTURES are the compute capabilities that the kernels are for, in the form of
# CMAKE_CUDA_ARCHITECTURES: machine code, and PTX of the last one, which drivers compile for later GPUs. Machine code of
# 8.0 (A100) runs on 8.6 and 8.9, too (A10, A40, L4, L40, RTX 30 and 40), and that of 10.0 (B200) on 10.3. 9.0 is the
# H100 and the H200, 12.0 the RTX 50. To compile for all of them takes three times as long as for one, so it is left to
# the wheel (scripts/package): a machine without a GPU compiles for 9.0, and for the PTX of it.
set(BEATSCAN_ALL_CUDA_ARCHITECTURES 80-real 90-real 100-real 120)
set(BEATSCAN_LOWEST_CUDA_ARCHITECTURE 80)

set(BEATSCAN_CUDA_ARCHITECTURES "" CACHE STRING
  "GPUs to compile for, as a list of compute capabilities such as 90; 'all' that the kernels are for; empty: the GPU in this machine, or else 90")

# Returns the compute capability of the first GPU in this machine as a number, if the kernels are for it, or else 90.
function(beatscan_gpu_of_this_machine architectures)
  set(${architectures} 90 PARENT_SCOPE)
  find_program(BEATSCAN_NVIDIA_SMI nvidia-smi)
  if(NOT BEATSCAN_NVIDIA_SMI)
    return()
  endif()
  execute_process(COMMAND ${BEATSCAN_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader --id=0
    OUTPUT_VARIABLE capability RESULT_VARIABLE failed ERROR_QUIET)
  string(REGEX REPLACE "[.\n]" "" capability "${capability}")
  if(NOT failed AND capability MATCHES "^[0-9]+$" AND NOT capability LESS BEATSCAN_LOWEST_CUDA_ARCHITECTURE)
    set(${architectures} ${capability} PARENT_SCOPE)
  endif()
endfunction()

if(BEATSCAN_CUDA_ARCHITECTURES STREQUAL "all")
  set(CMAKE_CUDA_ARCHITECTURES ${BEATSCAN_ALL_CUDA_ARCHITECTURES})
elseif(BEATSCAN_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES ${BEATSCAN_CUDA_ARCHITECTURES})
elseif(NOT CMAKE_CUDA_ARCHITECTURES)  # CMake's own option counts, too
  beatscan_gpu_of_this_machine(CMAKE_CUDA_ARCHITECTURES)
endif()
foreach(architecture ${CMAKE_CUDA_ARCHITECTURES})
  if(NOT architecture MATCHES "^[0-9]+" OR CMAKE_MATCH_0 LESS BEATSCAN_LOWEST_CUDA_ARCHITECTURE)
    message(FATAL_ERROR "BEATSCAN_CUDA_ARCHITECTURES: ${architecture} is no number, or too old. "
      "${BEATSCAN_LOWEST_CUDA_ARCHITECTURE} is the least, and 'all' stands for ${BEATSCAN_ALL_CUDA_ARCHITECTURES}.")
  endif()
endforeach()
