#include "app/output/tables/number_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace beatscan {
namespace {

template <class Number>
std::string text_of_number(Number value) {
  char digits[kLongestNumber];
  return {digits, write_number(value, digits)};
}

template <class Number>
std::string by_to_chars(Number value) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

// Checks a number, its neighbours and their negatives.
void expect_shortest(float value) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float near : {value, std::nextafter(value, kInfinity), std::nextafter(value, -kInfinity)})
    for (const float number : {near, -near})
      ASSERT_EQ(text_of_number(number), by_to_chars(number)) << std::bit_cast<std::uint32_t>(number);
}

TEST(NumberText, AFloatWithFewDecimalsHasItsShortestText) {
  for (int i = 0; i <= 1'001'000; i += i < 20'000 || i > 980'000 ? 1 : 7)
    ASSERT_NO_FATAL_FAILURE(expect_shortest(static_cast<float>(i / 1000.0)));
  for (int i = 0; i < 100'000; ++i) ASSERT_NO_FATAL_FAILURE(expect_shortest(static_cast<float>(i) / 10'000));
}

TEST(NumberText, AnyFloatHasItsShortestText) {
  std::mt19937 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    ASSERT_EQ(text_of_number(value), by_to_chars(value));
    const float usual = static_cast<float>(random()) / static_cast<float>(1 << 28);
    ASSERT_EQ(text_of_number(usual), by_to_chars(usual));
  }
  using Limits = std::numeric_limits<float>;
  for (const float value : {0.0F, 1.0F, 9.999999F, 999.9995F, 1000.0F, 100'000.0F, Limits::min(), Limits::max(),
                            Limits::denorm_min(), Limits::infinity()})
    expect_shortest(value);
}

TEST(NumberText, TheLongestOnesFit) {
  using Limits = std::numeric_limits<double>;
  for (const double value : {-Limits::min(), -Limits::denorm_min(), -Limits::max(), -5e-324, -1.7976931348623157e308})
    EXPECT_EQ(text_of_number(value), by_to_chars(value));
  EXPECT_EQ(text_of_number(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

TEST(NumberText, MicrosecondsAreSecondsWithSixDecimals) {
  const auto text = [](std::int64_t value) {
    char digits[kLongestNumber];
    return std::string(digits, write_microseconds(value, digits));
  };
  EXPECT_EQ(text(0), "0.000000");
  EXPECT_EQ(text(-1), "-0.000001");
  EXPECT_EQ(text(1'234'567), "1.234567");
  EXPECT_EQ(text(86'400'010'203), "86400.010203");
  EXPECT_EQ(text(std::numeric_limits<std::int64_t>::min()), "-9223372036854.775808");
}

}  // namespace
}  // namespace beatscan
