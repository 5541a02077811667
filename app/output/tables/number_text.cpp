#include "app/output/tables/number_text.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace beatscan {
namespace {

static_assert(std::endian::native == std::endian::little, "the first digit is in the least significant byte");

// The texts 000, 001 … 999. They are stored as four bytes, of which the last one is overwritten.
constexpr auto kThreeDigits = [] {
  std::array<std::uint32_t, 1000> texts{};
  for (std::uint32_t i = 0; i < 1000; ++i) texts[i] = 0x30'3030 + (i / 100 | i / 10 % 10 << 8 | i % 10 << 16);
  return texts;
}();

char* write_three_digits(std::uint64_t value, char* at) {
  std::memcpy(at, &kThreeDigits[value], sizeof kThreeDigits[0]);
  return at + 3;
}

constexpr int kMostDecimals = 10;
constexpr auto kPowersOfTen = [] {
  std::array<std::uint64_t, kMostDecimals + 1> powers{1};
  for (int i = 1; i <= kMostDecimals; ++i) powers[i] = 10 * powers[i - 1];
  return powers;
}();

// Returns the shortest decimal of the float significand / 2^shift, as a whole number of 10^-decimals: of the decimals
// that are nearer to it than to any other float, the one with the fewest digits, and of these the nearest one.
//   significand  > 2^23, because the next float below 2^23 is at half the distance
//   decimals     so many that the interval of these decimals is 1 to 10 long: it holds at most one multiple of ten
std::uint64_t shortest_decimal(std::uint64_t significand, int shift, int decimals) {
  // The interval and its middle, in units of 10^-decimals / 2^(shift + 1). Its ends are read as an even significand.
  const std::uint64_t reach = kPowersOfTen[decimals], middle = 2 * significand * reach;
  const std::uint64_t open = significand % 2, low = middle - reach + open, high = middle + reach - open;
  const std::uint64_t tens = (high >> (shift + 1)) / 10 * 10;
  const std::uint64_t is_odd = middle >> (shift + 1) & 1, half = std::uint64_t{1} << shift;  // a tie becomes even
  const std::uint64_t nearest = (middle + half - 1 + is_odd) >> (shift + 1);
  return tens << (shift + 1) >= low ? tens : nearest;
}

// Writes a number from 0 to 999.
char* write_whole(std::uint32_t value, char* at) {
  const std::uint32_t zeros = value < 10 ? 2 : value < 100 ? 1 : 0, text = kThreeDigits[value] >> 8 * zeros;
  std::memcpy(at, &text, sizeof text);
  return at + 3 - zeros;
}

// Writes a part of 1 as ten decimals, without zeros at its end.
char* write_decimals(std::uint64_t ten_decimals, char* at) {
  constexpr int kBytes = 7;
  constexpr std::uint64_t kZeros = 0x30'3030'3030'3030;
  at = write_three_digits(ten_decimals / 10'000'000, at);
  const std::uint64_t next = kThreeDigits[ten_decimals / 10'000 % 1000], last = kThreeDigits[ten_decimals / 10 % 1000],
                      text = next | last << 24 | ('0' + ten_decimals % 10) << 48;
  std::memcpy(at, &text, sizeof text);
  at += kBytes - std::countl_zero((text ^ kZeros) << 8 | 1) / 8;
  while (at[-1] == '0') --at;
  return at;
}

}  // namespace

char* write_number(std::int64_t value, char* at) { return std::to_chars(at, at + kLongestNumber, value).ptr; }

char* write_number(double value, char* at) { return std::to_chars(at, at + kLongestNumber, value).ptr; }

// For usual floats, 64 bits hold all that decides, and the text is never shorter with an exponent. So this takes half
// of the time of std::to_chars, which writes the others.
char* write_number(float value, char* at) {
  constexpr int kFractionBits = 23, kBias = 127;
  const float magnitude = std::abs(value);
  const auto bits = std::bit_cast<std::uint32_t>(magnitude), fraction = bits & ((1U << kFractionBits) - 1);
  const bool is_usual = magnitude >= 0.001F && magnitude < 1000 && fraction != 0;
  if (!is_usual) return std::to_chars(at, at + kLongestNumber, value).ptr;
  const int shift = kFractionBits + kBias - static_cast<int>(bits >> kFractionBits);  // 14 to 33
  const int decimals = shift * 1233 / 4096 + 1;                                       // by log10(2)
  const std::uint64_t decimal = shortest_decimal(fraction | 1U << kFractionBits, shift, decimals);
  const auto whole = static_cast<std::uint32_t>(magnitude);  // that of the decimal, too: whole numbers are floats
  const std::uint64_t rest = decimal - whole * kPowersOfTen[decimals];
  *at = '-';
  at = write_whole(whole, value < 0 ? at + 1 : at);
  if (rest == 0) return at;
  *at++ = '.';
  return write_decimals(rest * kPowersOfTen[kMostDecimals - decimals], at);
}

char* write_microseconds(std::int64_t value, char* at) {
  if (value < 0) *at++ = '-';
  const auto magnitude = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  at = std::to_chars(at, at + kLongestNumber, magnitude / 1'000'000).ptr;
  *at++ = '.';
  at = write_three_digits(magnitude / 1000 % 1000, at);
  return write_three_digits(magnitude % 1000, at);
}

}  // namespace beatscan
