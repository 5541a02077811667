// kernels/lists/flags.h — small operations on lists of flags and of indices, item by item. A wrong shape throws
// ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

// both[i] = 1 where a[i] and b[i] are set, else 0
void both_flags(Cpu&, std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, std::span<std::uint8_t> both);
void both_flags(Cuda&, std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, std::span<std::uint8_t> both);

// flags[i] = 1 where codes[i] is `code`, else 0
void flag_equal(Cpu&, std::span<const std::uint8_t> codes, std::uint8_t code, std::span<std::uint8_t> flags);
void flag_equal(Cuda&, std::span<const std::uint8_t> codes, std::uint8_t code, std::span<std::uint8_t> flags);

// sums[i] = numbers[i] + addend
void add_to_all(Cpu&, std::span<const std::int32_t> numbers, std::int32_t addend, std::span<std::int32_t> sums);
void add_to_all(Cuda&, std::span<const std::int32_t> numbers, std::int32_t addend, std::span<std::int32_t> sums);

}  // namespace beatscan
