#include "kernels/runtime/pci_name.h"

#include <cuda_runtime.h>

#include <array>

namespace beatscan {

std::string pci_name(int device) {
  std::array<char, 32> name{};
  if (cudaDeviceGetPCIBusId(name.data(), name.size(), device) == cudaSuccess) return name.data();
  cudaGetLastError();  // clears the error
  return "";
}

}  // namespace beatscan
