// kernels/csv/decimal.h — turns the text of one CSV cell into a correctly rounded float32, on host and device.
//
//   number        [+-] digits [. digits] [e [+-] digits]   with digits on at least one side of the point
//   missing       nothing, or NaN, NA or null in upper or lower case
//   out_of_range  a number that rounds to no finite float32
//   bad           anything else
// Blanks (space, tab, CR) around a cell and one pair of double quotes around its text are ignored. A number too small
// for float32 becomes its correctly rounded value, zero.
//
// Method: the first 19 digits times a power of ten, in double, have a relative error below 2^-51. If both ends of an
// interval of 2^-49 around the product round to the same float32, that is the answer; of typical cells all but some
// 2^-24 end here. Otherwise the exact decimal is compared, in integers, with the midpoint between the two floats. This
// is in the spirit of Clinger's AlgorithmR (1990). No library for this runs on a GPU. Its tests compare it with
// std::from_chars and strtof.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>

#include "kernels/csv/digits.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

enum class CellKind : std::uint8_t { number, missing, bad, out_of_range };

struct Cell {
  CellKind kind;
  float value;  // NaN unless a number
};

namespace decimal {

// An unsigned integer of up to 768 bits, lowest word first. The largest number that occurs is below 2^600: a 25-bit
// midpoint or 120 digits, times 10^165 or 2^174.
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

// Returns 10^exponent in double, correctly rounded, for the powers that to_float needs.
constexpr int kMinPower = -65, kMaxPower = 38;
BEATSCAN_HOST_DEVICE inline double power_of_ten(int exponent) {
  static constexpr double kPowers[] = {
      1e-65, 1e-64, 1e-63, 1e-62, 1e-61, 1e-60, 1e-59, 1e-58, 1e-57, 1e-56, 1e-55, 1e-54, 1e-53, 1e-52, 1e-51,
      1e-50, 1e-49, 1e-48, 1e-47, 1e-46, 1e-45, 1e-44, 1e-43, 1e-42, 1e-41, 1e-40, 1e-39, 1e-38, 1e-37, 1e-36,
      1e-35, 1e-34, 1e-33, 1e-32, 1e-31, 1e-30, 1e-29, 1e-28, 1e-27, 1e-26, 1e-25, 1e-24, 1e-23, 1e-22, 1e-21,
      1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6,
      1e-5,  1e-4,  1e-3,  1e-2,  1e-1,  1e0,   1e1,   1e2,   1e3,   1e4,   1e5,   1e6,   1e7,   1e8,   1e9,
      1e10,  1e11,  1e12,  1e13,  1e14,  1e15,  1e16,  1e17,  1e18,  1e19,  1e20,  1e21,  1e22,  1e23,  1e24,
      1e25,  1e26,  1e27,  1e28,  1e29,  1e30,  1e31,  1e32,  1e33,  1e34,  1e35,  1e36,  1e37,  1e38};
  static_assert(sizeof kPowers / sizeof *kPowers == kMaxPower - kMinPower + 1);
  return kPowers[exponent - kMinPower];
}

BEATSCAN_HOST_DEVICE inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
BEATSCAN_HOST_DEVICE inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Digits and point as they stand in the text. The number is that decimal times 10^exponent.
struct DecimalText {
  const char *first, *last;
  std::int64_t exponent;
};

// Returns -1, 0 or 1 if the exact decimal is below, at or above the double `midpoint` > 0.
BEATSCAN_HOST_DEVICE inline int compare_with(DecimalText decimal, double midpoint) {
  constexpr int kDigits = 120;  // a midpoint of float32 has at most 113 digits, so later digits only break a tie
  BigInteger left, right;
  int digits = 0;
  std::int64_t exponent10 = decimal.exponent;  // the exponent of the last digit in `left`
  bool after_point = false, more = false;
  for (const char* c = decimal.first; c != decimal.last; ++c) {
    if (*c == '.') {
      after_point = true;
    } else if (digits < kDigits) {
      exponent10 -= after_point;
      if (digits == 0 && *c == '0') continue;
      left.multiply_add(10, static_cast<std::uint32_t>(*c - '0'));
      ++digits;
    } else {
      exponent10 += !after_point;
      more |= *c != '0';
    }
  }
  int exponent2 = 0;
  const double fraction = frexp(midpoint, &exponent2);  // [0.5, 1); 25 bits hold all of a midpoint
  right.multiply_add(0, static_cast<std::uint32_t>(fraction * (1 << 25)));
  exponent2 -= 25;
  (exponent10 >= 0 ? left : right).multiply_power_of_ten(static_cast<int>(exponent10 >= 0 ? exponent10 : -exponent10));
  (exponent2 >= 0 ? right : left).multiply_power_of_two(exponent2 >= 0 ? exponent2 : -exponent2);
  const int order = left.compare(right);
  return order == 0 && more ? 1 : order;
}

// Chooses between the neighbours low < high for a decimal that lies near their midpoint.
BEATSCAN_FEW_CELLS BEATSCAN_HOST_DEVICE inline float round_exactly(DecimalText decimal, float low, float high) {
  // Above the largest float the midpoint is 2^128 - 2^103, from where on numbers round to infinity.
  const double midpoint = high > FLT_MAX ? 0x1.ffffffp127 : 0.5 * (static_cast<double>(low) + high);
  const int order = compare_with(decimal, midpoint);
  if (order != 0) return order < 0 ? low : high;
  // A tie goes to the even significand: `low` is even if it is a multiple of two steps. Doubling is exact.
  const double step = high > FLT_MAX ? 0x1p104 : static_cast<double>(high) - low;
  return fmod(static_cast<double>(low), 2 * step) == 0 ? low : high;
}

// Returns the float of `digits` times 10^exponent. `decimal` is the same number as text.
BEATSCAN_HOST_DEVICE inline float to_float(const Digits& digits, DecimalText decimal) {
  if (digits.value == 0) return 0;
  const std::int64_t exponent10 = digits.exponent + decimal.exponent;
  if (exponent10 < kMinPower) return 0;  // below 1e-47, where half of the smallest float32 is 7e-46
  if (exponent10 > kMaxPower) return INFINITY;
  const int exponent = static_cast<int>(exponent10);
  if (digits.exact && digits.value <= (1u << 24) && exponent >= -10 && exponent <= 10) {
    const auto value = static_cast<float>(digits.value);  // one rounding of exact operands
    const auto power = static_cast<float>(power_of_ten(exponent < 0 ? -exponent : exponent));
    return exponent < 0 ? value / power : value * power;
  }
  // Integer, power and product are rounded by 2^-53 each, and the digits left out add 10^-18: together below 2^-51.
  const double value = static_cast<double>(digits.value) * power_of_ten(exponent);
  const auto low = static_cast<float>(value * (1 - 0x1p-49));
  const auto high = static_cast<float>(value * (1 + 0x1p-49));
  return low == high ? low : round_exactly(decimal, low, high);
}

BEATSCAN_HOST_DEVICE inline bool matches(const char* first, const char* last, const char* lower_case_word) {
  for (; first != last && *lower_case_word; ++first, ++lower_case_word)
    if (lower(*first) != *lower_case_word) return false;
  return first == last && !*lower_case_word;
}

BEATSCAN_HOST_DEVICE inline bool is_missing_word(const char* first, const char* last) {
  if (*first != 'n' && *first != 'N') return false;  // spares numbers the comparison with each word
  return matches(first, last, "nan") || matches(first, last, "na") || matches(first, last, "null");
}

BEATSCAN_EVERY_CELL BEATSCAN_HOST_DEVICE inline Cell parse_number(const char* cursor, const char* last,
                                                                  const char* limit) {
  const Cell bad{CellKind::bad, NAN};
  const bool negative = *cursor == '-';  // the code does not branch on it: in a signal around zero it is unpredictable
  cursor += negative | (*cursor == '+');
  const Digits digits = take_digits(cursor, last, limit);
  if (digits.end == nullptr) return bad;
  DecimalText decimal{cursor, digits.end, 0};
  cursor = digits.end;
  if (cursor != last && (*cursor == 'e' || *cursor == 'E')) {
    ++cursor;
    const bool minus = cursor != last && *cursor == '-';
    if (cursor != last && (*cursor == '-' || *cursor == '+')) ++cursor;
    if (cursor == last) return bad;
    std::int64_t exponent = 0;
    for (; cursor != last && is_digit(*cursor); ++cursor)
      if (exponent < 1'000'000'000'000) exponent = exponent * 10 + (*cursor - '0');
    decimal.exponent = minus ? -exponent : exponent;
  }
  if (cursor != last) return bad;

  const float magnitude = to_float(digits, decimal);
  if (magnitude > FLT_MAX) return {CellKind::out_of_range, NAN};
  return {CellKind::number, magnitude * static_cast<float>(1 - 2 * negative)};
}

}  // namespace decimal

// Parses the cell [first, last) of a line, without delimiters. Bytes from `last` up to `limit` may be read and do not
// change the result.
BEATSCAN_EVERY_CELL BEATSCAN_HOST_DEVICE inline Cell parse_cell(const char* first, const char* last,
                                                                const char* limit) {
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
  if (first == last || is_missing_word(first, last)) return {CellKind::missing, NAN};
  return parse_number(first, last, limit);
}
BEATSCAN_HOST_DEVICE inline Cell parse_cell(const char* first, const char* last) {
  return parse_cell(first, last, last);
}

}  // namespace beatscan
