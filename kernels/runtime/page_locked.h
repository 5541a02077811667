// kernels/runtime/page_locked.h — host memory that the device reaches over the bus at full speed.
#pragma once

#include <cstddef>

namespace beatscan {

inline constexpr std::size_t kPageLockedUnit = 2 << 20;  // page-locked memory is a multiple of this many bytes

// Returns the bytes that page_locked() takes.
inline std::size_t rounded_to_page_locked(std::size_t bytes) {
  return (bytes + kPageLockedUnit - 1) / kPageLockedUnit * kPageLockedUnit;
}

// Returns page-locked memory, which the device reaches at the same address; nullptr if the host lacks the memory. It
// has `bytes`, rounded up to whole units.
char* page_locked(std::size_t bytes);
void release_page_locked(char* memory) noexcept;

}  // namespace beatscan
