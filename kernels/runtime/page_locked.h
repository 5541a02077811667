// kernels/runtime/page_locked.h — host memory that the device reaches over the bus at full speed.
#pragma once

#include <cstddef>

namespace beatscan {

// Returns page-locked memory, which the device reaches at the same address; nullptr if the host lacks the memory.
char* page_locked(std::size_t bytes);
void release_page_locked(char* memory) noexcept;

}  // namespace beatscan
