// kernels/runtime/pci_name.h — the system's name of a GPU.
#pragma once

#include <string>

namespace beatscan {

// Returns the name that a GPU has among the PCI devices, such as "0000:3B:00.0"; empty if it is unknown. The number is
// CUDA's. It exists only in builds with CUDA.
std::string pci_name(int device);

}  // namespace beatscan
