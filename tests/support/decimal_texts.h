// tests/support/decimal_texts.h — decimals that are hard to round: long ones, midpoints of floats, random texts.
#pragma once

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace beatscan {

// The number 0.DIGITS * 10^point.
struct DecimalDigits {
  std::string digits;
  int point;
};

// A float of random bits that is neither infinity nor NaN.
inline float random_finite_float(std::mt19937_64& random) {
  for (;;) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isfinite(value)) return value;
  }
}

// The midpoint of a value >= 0 and the next float, exact in double. The next after the largest float is 2^128.
inline double halfway_above(float value) {
  const double next = value == FLT_MAX ? 0x1p128 : static_cast<double>(std::nextafter(value, INFINITY));
  return (static_cast<double>(value) + next) / 2;
}

// All digits of a midpoint. It has at most 113, which glibc prints exactly.
inline DecimalDigits midpoint_above(float value) {
  char text[160];
  std::snprintf(text, sizeof text, "%.120e", halfway_above(value));
  DecimalDigits result{std::string(1, text[0]) + std::string(text + 2, 120), std::atoi(text + 123) + 1};
  result.digits.resize(result.digits.find_last_not_of('0') + 1);
  return result;
}

// Adds zeros up to `size` digits and changes the last digit by -1, 0 or 1.
inline DecimalDigits with_last_digit_moved(DecimalDigits number, int size, int by) {
  number.digits.resize(size, '0');
  auto digit = number.digits.rbegin();
  if (by < 0) {
    for (; *digit == '0'; ++digit) *digit = '9';
    --*digit;
  } else if (by > 0) {
    for (; *digit == '9'; ++digit) *digit = '0';
    ++*digit;
  }
  return number;
}

constexpr int kDecimalStyles = 4;

inline std::string decimal_text(const DecimalDigits& number, int style) {
  const auto& [digits, point] = number;
  const auto size = static_cast<int>(digits.size());
  const auto exponent = [](int value) { return "e" + std::to_string(value); };
  if (style == 0) return "0." + digits + exponent(point);
  if (style == 1) return digits + exponent(point - size);
  if (style == 2) return digits.substr(0, 1) + "." + digits.substr(1) + "E" + std::to_string(point - 1);
  if (point <= 0) return "0." + std::string(-point, '0') + digits;
  if (point >= size) return digits + std::string(point - size, '0');
  return digits.substr(0, point) + "." + digits.substr(point);
}

// A text with 1 to 30 digits, with or without a point, and an exponent from -60 to 45.
inline void append_random_digits(std::mt19937_64& random, std::string& out) {
  const std::uint64_t choices = random();
  const int size = 1 + static_cast<int>(choices % 30), point = static_cast<int>(choices >> 8 & 31);
  if ((choices >> 16 & 3) == 0) out += (choices >> 18 & 1) ? '-' : '+';
  std::uint64_t digits = random();
  for (int i = 0; i < size; ++i, digits /= 10) {
    if (i == point) out += '.';
    if (digits == 0) digits = random();
    out += static_cast<char>('0' + digits % 10);
  }
  if ((choices >> 20 & 3) != 0) out += 'e' + std::to_string(static_cast<int>((choices >> 24) % 106) - 60);
}

// One of two texts: a random float with 6 to 9 or 17 to 25 digits, or a midpoint of two neighbouring floats with all
// its digits, fewer, or one digit too many.
inline void append_random_float(std::mt19937_64& random, std::string& out) {
  const float value = random_finite_float(random);
  const auto choice = static_cast<int>(random() % 16);
  char text[200];
  if (choice < 10) {
    const int digits = choice < 5 ? 6 + static_cast<int>(random() % 4) : 17 + static_cast<int>(random() % 9);
    std::snprintf(text, sizeof text, "%.*e", digits - 1, value);
    out += text;
    return;
  }
  const double middle = std::copysign(halfway_above(std::fabs(value)), value);
  if (choice < 14) {
    std::snprintf(text, sizeof text, "%.*e", choice < 12 ? 112 : 17 + static_cast<int>(random() % 100), middle);
    out += text;
    return;
  }
  std::snprintf(text, sizeof text, "%.112e", middle);
  std::string longer(text);
  out += longer.insert(longer.find('e'), choice == 14 ? "1" : "0000000000000000000000001");
}

inline void append_random_text(std::mt19937_64& random, std::string& out) {
  if (random() % 2)
    append_random_digits(random, out);
  else
    append_random_float(random, out);
}

}  // namespace beatscan
