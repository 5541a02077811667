// kernels/decimal.h — the text of one CSV cell to float32, correctly rounded, on either side.
//
//   number   [+-] digits [. digits] [e [+-] digits]   (digits on at least one side of the point)
//   missing  nothing, NaN, NA or null in any case
//   bad      anything else; out_of_range where a number rounds to no finite float32
// Blanks (space, tab, CR) around a cell and one pair of double quotes around its text are passed over. A number too
// small for float32 is its correctly rounded value, zero.
//
// Method: the first 19 digits times a power of ten in double carry a relative error below 2^-49, so where both ends of
// that interval round to the same float32, this is the answer (all but some 2^-24 of the usual cells). Else the exact
// decimal is compared with the midpoint between the two floats in integers (Clinger 1990's AlgorithmR in spirit). No
// library for this runs on a GPU; std::from_chars and strtof are the oracles of its tests.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>

#include "kernels/portable.h"

namespace beatscan {

enum class CellKind : std::uint8_t { number, missing, bad, out_of_range };

struct Cell {
  CellKind kind;
  float value;  // NaN unless a number
};

namespace decimal {

// An unsigned integer of up to 768 bits, little end first. The largest number met is below 2^600: a 25-bit midpoint or
// 120 digits, times 10^165 or 2^150.
struct BigInteger {
  static constexpr int kWords = 24;
  std::uint32_t words[kWords] = {};

  BEATSCAN_HOST_DEVICE void multiply_add(std::uint32_t factor, std::uint32_t addend) {
    std::uint64_t carry = addend;
    for (int i = 0; i < kWords; ++i) {
      carry += static_cast<std::uint64_t>(words[i]) * factor;
      words[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  BEATSCAN_HOST_DEVICE void multiply_power_of_ten(int exponent) {
    for (int i = 0; i < exponent; ++i) multiply_add(10, 0);
  }
  BEATSCAN_HOST_DEVICE void multiply_power_of_two(int exponent) {
    for (; exponent >= 31; exponent -= 31) multiply_add(1u << 31, 0);
    multiply_add(1u << exponent, 0);
  }
  BEATSCAN_HOST_DEVICE int compare(const BigInteger& other) const {
    for (int i = kWords - 1; i >= 0; --i)
      if (words[i] != other.words[i]) return words[i] < other.words[i] ? -1 : 1;
    return 0;
  }
};

// 10^exponent for 0 <= exponent <= 22: all exact in double.
BEATSCAN_HOST_DEVICE inline double power_of_ten(int exponent) {
  constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  return kPowers[exponent];
}

BEATSCAN_HOST_DEVICE inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
BEATSCAN_HOST_DEVICE inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
BEATSCAN_HOST_DEVICE inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Significant digits and point as they stand in the text, the exponent apart: value = 0.DIGITS * 10^point.
struct Significand {
  const char* first;  // first digit that is not 0
  const char* last;   // past the last digit (a point may lie between)
  std::int64_t point;
};

// Is the exact decimal below (-1), at (0) or above (1) the double `midpoint` > 0?
BEATSCAN_HOST_DEVICE inline int compare_with(const Significand& decimal, double midpoint) {
  constexpr int kDigits = 120;  // a midpoint of float32 has at most 113, so digits further on only break a tie
  BigInteger left, right;
  int digits = 0;
  bool more = false;
  for (const char* c = decimal.first; c != decimal.last; ++c) {
    if (*c == '.') continue;
    if (digits < kDigits) {
      left.multiply_add(10, static_cast<std::uint32_t>(*c - '0'));
      ++digits;
    } else if (*c != '0') {
      more = true;
      break;
    }
  }
  int exponent2 = 0;
  const double fraction = frexp(midpoint, &exponent2);  // [0.5, 1); 25 bits hold all of a midpoint
  right.multiply_add(0, static_cast<std::uint32_t>(fraction * (1 << 25)));
  exponent2 -= 25;
  const int exponent10 = static_cast<int>(decimal.point) - digits;
  (exponent10 >= 0 ? left : right).multiply_power_of_ten(exponent10 >= 0 ? exponent10 : -exponent10);
  (exponent2 >= 0 ? right : left).multiply_power_of_two(exponent2 >= 0 ? exponent2 : -exponent2);
  const int order = left.compare(right);
  return order == 0 && more ? 1 : order;
}

// Chooses between the neighbours low < high for a decimal known to lie around their midpoint.
BEATSCAN_HOST_DEVICE inline float round_exactly(const Significand& decimal, float low, float high) {
  // Past the largest float the midpoint is where infinity begins: 2^128 - 2^103.
  const double midpoint = high > FLT_MAX ? 0x1.ffffffp127 : 0.5 * (static_cast<double>(low) + high);
  const int order = compare_with(decimal, midpoint);
  if (order != 0) return order < 0 ? low : high;
  // A tie goes to the even significand. Doubling is exact, so the test is whether low is a multiple of two steps.
  const double step = high > FLT_MAX ? 0x1p104 : static_cast<double>(high) - low;
  return fmod(static_cast<double>(low), 2 * step) == 0 ? low : high;
}

// significand * 10^exponent10, for an integer that holds the first 19 digits of `decimal`.
BEATSCAN_HOST_DEVICE inline float to_float(std::uint64_t significand, std::int64_t exponent10, bool exact,
                                           const Significand& decimal) {
  if (significand == 0) return 0;
  if (decimal.point < -46) return 0;  // below 1e-46, where half of the smallest float32 is 7e-46
  if (decimal.point > 39) return INFINITY;
  int exponent = static_cast<int>(exponent10);                                    // -65 .. 38
  if (exact && significand <= (1u << 24) && exponent >= -10 && exponent <= 10) {  // one rounding of exact operands
    const auto value = static_cast<float>(significand);
    const auto power = static_cast<float>(power_of_ten(exponent < 0 ? -exponent : exponent));
    return exponent < 0 ? value / power : value * power;
  }
  auto value = static_cast<double>(significand);
  for (; exponent < -22; exponent += 22) value /= 1e22;
  for (; exponent > 22; exponent -= 22) value *= 1e22;
  value = exponent < 0 ? value / power_of_ten(-exponent) : value * power_of_ten(exponent);
  // At most five roundings of 2^-53 each and 10^-18 for the digits left out: below 2^-50.
  const auto low = static_cast<float>(value * (1 - 0x1p-49));
  const auto high = static_cast<float>(value * (1 + 0x1p-49));
  return low == high ? low : round_exactly(decimal, low, high);
}

BEATSCAN_HOST_DEVICE inline bool matches(const char* first, const char* last, const char* lower_case_word) {
  for (; first != last && *lower_case_word; ++first, ++lower_case_word)
    if (lower(*first) != *lower_case_word) return false;
  return first == last && !*lower_case_word;
}

BEATSCAN_HOST_DEVICE inline Cell parse_number(const char* cursor, const char* last) {
  const Cell bad{CellKind::bad, NAN};
  const bool negative = *cursor == '-';
  if (*cursor == '-' || *cursor == '+') ++cursor;

  std::uint64_t significand = 0;
  int kept = 0;             // digits in `significand`, at most 19
  std::int64_t before = 0;  // significant digits before the point, negative: zeros after it
  bool any = false, dropped = false, after_point = false;
  Significand decimal{nullptr, nullptr, 0};
  for (; cursor != last; ++cursor) {
    const char c = *cursor;
    if (is_digit(c)) {
      any = true;
      if (kept == 0 && c == '0') {  // leading zeros
        before -= after_point;
        continue;
      }
      if (kept == 0) decimal.first = cursor;
      if (kept < 19) {
        significand = significand * 10 + static_cast<std::uint64_t>(c - '0');
        ++kept;
      } else {
        dropped |= c != '0';
      }
      before += !after_point;
    } else if (c == '.' && !after_point) {
      after_point = true;
    } else {
      break;
    }
  }
  if (!any) return bad;
  decimal.last = cursor;

  std::int64_t exponent = 0;
  if (cursor != last && lower(*cursor) == 'e') {
    ++cursor;
    const bool minus = cursor != last && *cursor == '-';
    if (cursor != last && (*cursor == '-' || *cursor == '+')) ++cursor;
    if (cursor == last) return bad;
    for (; cursor != last && is_digit(*cursor); ++cursor)
      if (exponent < 1'000'000'000'000) exponent = exponent * 10 + (*cursor - '0');
    if (minus) exponent = -exponent;
  }
  if (cursor != last) return bad;

  decimal.point = before + exponent;
  const float magnitude = to_float(significand, decimal.point - kept, !dropped, decimal);
  if (magnitude > FLT_MAX) return {CellKind::out_of_range, NAN};
  return {CellKind::number, negative ? -magnitude : magnitude};
}

}  // namespace decimal

// The cell [first, last) of a line, without delimiters.
BEATSCAN_HOST_DEVICE inline Cell parse_cell(const char* first, const char* last) {
  using namespace decimal;
  const auto trim = [&] {
    while (first != last && is_blank(*first)) ++first;
    while (first != last && is_blank(last[-1])) --last;
  };
  trim();
  if (last - first >= 2 && *first == '"' && last[-1] == '"') {
    ++first;
    --last;
    trim();
  }
  if (first == last || matches(first, last, "nan") || matches(first, last, "na") || matches(first, last, "null"))
    return {CellKind::missing, NAN};
  return parse_number(first, last);
}

}  // namespace beatscan
