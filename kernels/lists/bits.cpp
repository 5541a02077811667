#include "kernels/lists/bits.h"

#include <algorithm>
#include <bit>

namespace beatscan {

Buffer<std::int64_t, Cpu> positions(Cpu& cpu, std::span<const std::uint32_t> words, Pick pick) {
  const auto picked = [&](std::int64_t i) { return picked_bits(words.data(), std::ssize(words), i, pick); };
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < std::ssize(words); ++i) count += std::popcount(picked(i));
  Buffer<std::int64_t, Cpu> result(cpu, count);
  std::int64_t* out = result.data();
  for (std::int64_t i = 0; i < std::ssize(words); ++i)
    for (std::uint32_t bits = picked(i); bits; bits &= bits - 1) *out++ = i * 32 + std::countr_zero(bits);
  return result;
}

Buffer<std::int64_t, Cpu> positions_of(Cpu& cpu, std::span<const std::uint8_t> bytes, std::uint8_t value) {
  Buffer<std::int64_t, Cpu> result(cpu, std::ranges::count(bytes, value));
  std::int64_t* out = result.data();
  for (std::int64_t i = 0; i < std::ssize(bytes); ++i)
    if (bytes[i] == value) *out++ = i;
  return result;
}

}  // namespace beatscan
