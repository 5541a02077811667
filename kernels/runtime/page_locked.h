// kernels/runtime/page_locked.h — host memory that the device reaches over the bus at full speed.
#pragma once

#include <cstddef>

namespace beatscan {

// nullptr where there is not as much. The device uses the same address.
char* page_locked(std::size_t bytes);
void release_page_locked(char* memory) noexcept;

}  // namespace beatscan
