// kernels/csv/digits.h — turns digits, with a point or without, into an integer and a power of ten on host and device.
//
// The host takes eight bytes at a time. A GPU thread takes one, while its neighbours read the rest of the cache line.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "kernels/runtime/portable.h"

// The host's loop over rows is a tenth faster if the functions that every cell needs are inlined, and no others.
#ifdef __CUDACC__
#define BEATSCAN_EVERY_CELL
#define BEATSCAN_FEW_CELLS
#else
#define BEATSCAN_EVERY_CELL [[gnu::always_inline]]
#define BEATSCAN_FEW_CELLS [[gnu::noinline]]
#endif

namespace beatscan::decimal {

// The number that digits represent: value * 10^exponent. If it is not exact, it is less than (value + 1) * 10^exponent.
struct Digits {
  const char* end = nullptr;  // after the last digit; nullptr if there is none
  std::uint64_t value = 0;    // the first 19 digits from the first that is not 0
  std::int64_t exponent = 0;
  bool exact = true;
};

BEATSCAN_HOST_DEVICE inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

BEATSCAN_HOST_DEVICE inline Digits take_digits_singly(const char* cursor, const char* last) {
  Digits digits;
  int kept = 0;             // digits in `value`, at most 19
  std::int64_t before = 0;  // significant digits before the point; if negative, zeros after it
  bool any = false, after_point = false;
  for (; cursor != last; ++cursor) {
    const char c = *cursor;
    if (is_digit(c)) {
      any = true;
      if (kept == 0 && c == '0') {  // leading zeros
        before -= after_point;
        continue;
      }
      if (kept < 19) {
        digits.value = digits.value * 10 + static_cast<std::uint64_t>(c - '0');
        ++kept;
      } else {
        digits.exact &= c == '0';
      }
      before += !after_point;
    } else if (c == '.' && !after_point) {
      after_point = true;
    } else {
      break;
    }
  }
  digits.end = any ? cursor : nullptr;
  digits.exponent = before - kept;
  return digits;
}

#ifndef __CUDA_ARCH__
static_assert(std::endian::native == std::endian::little, "the first of eight bytes is the lowest");

// Sets 0x80 in the first byte that is not 0 to 9. The bytes after it may hold anything, since a carry may reach them.
inline std::uint64_t mark_first_other(std::uint64_t bytes) {
  return ((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080;
}

// Returns the number that eight bytes of 0 to 9 represent. Neighbours make pairs, and the four pairs make the number.
inline std::uint64_t number_of(std::uint64_t bytes) {
  constexpr std::uint64_t kFirstAndThird = 0x000000ff000000ff;
  const std::uint64_t pairs = bytes * 10 + (bytes >> 8);
  return ((pairs & kFirstAndThird) * (100 + (1'000'000ull << 32)) +
          (pairs >> 16 & kFirstAndThird) * (1 + (10'000ull << 32))) >>
         32;
}

inline std::int64_t leading_zeros(const char* first, const char* last) {
  std::int64_t zeros = 0;
  for (; first != last && (*first == '0' || *first == '.'); ++first) zeros += *first == '0';
  return zeros;
}

// Does the same as take_digits_singly, eight bytes at a time. It gives up and returns no end if there are more than 19
// digits, or if they lie close to `limit`.
BEATSCAN_EVERY_CELL inline Digits take_digits_by_eight(const char* first, const char* last, const char* limit) {
  constexpr int kWords = 4;  // eight bytes each: room for 19 digits, a point and some zeros before them
  static constexpr std::uint64_t kPowers[] = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
  if (limit - first < kWords * 8) return {};
  const char *cursor = first, *point = nullptr;
  std::uint64_t value = 0;  // modulo 2^64 until it is known that there are at most 19 digits
  std::uint64_t others = 0;
  for (int word = 0; word < kWords && others == 0; ++word) {
    std::uint64_t bytes;
    std::memcpy(&bytes, cursor, 8);
    bytes ^= 0x3030303030303030;  // '0' to '9' become 0 to 9
    others = mark_first_other(bytes);
    int count = std::countr_zero(others) / 8;
    if (count < 8 && point == nullptr &&
        cursor[count] == '.') {  // closes the gap and finds the next byte that is no digit
      point = cursor++ + count;
      const std::uint64_t before = (std::uint64_t{1} << 8 * count) - 1;
      bytes = (bytes & before) | (bytes >> 8 & ~before);
      others &= others - 1;
      count = std::countr_zero(others) / 8 - 1;
    }
    if (count > 0) value = value * kPowers[count] + number_of(bytes << (64 - 8 * count));
    cursor += count;
  }
  const std::int64_t digits = cursor - first - (point != nullptr);
  if (others == 0 || cursor > last || digits == 0) return {};
  if (digits > 19 && digits - leading_zeros(first, cursor) > 19) return {};
  return {cursor, value, point == nullptr ? 0 : point + 1 - cursor};
}
#endif

// Takes the digits in [cursor, last). Bytes from `last` up to `limit` may be read and do not change the result.
BEATSCAN_EVERY_CELL BEATSCAN_HOST_DEVICE inline Digits take_digits(const char* cursor, const char* last,
                                                                   [[maybe_unused]] const char* limit) {
  Digits digits;
#ifndef __CUDA_ARCH__
  digits = take_digits_by_eight(cursor, last, limit);
#endif
  if (digits.end == nullptr) digits = take_digits_singly(cursor, last);
  return digits;
}

}  // namespace beatscan::decimal
