// app/python/torch_memory.h — PyTorch's allocator as the memory of operators, so that a program has one cache of freed
// memory, and PyTorch can free what an operator hands over.
#pragma once

#include <memory>

#include "kernels/runtime/device_memory.h"

namespace beatscan::operators {

std::shared_ptr<DeviceMemory> torch_memory(int device);

}  // namespace beatscan::operators
