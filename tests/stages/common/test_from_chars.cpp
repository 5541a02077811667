// Numbers of text are read alike by the standard library and by what takes its place.
#include "stages/common/from_chars.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>
#include <system_error>

namespace beatscan {
namespace {

template <class Number>
void expect_read(std::string_view text, Number expected, std::size_t length, std::errc error = {}) {
  SCOPED_TRACE(text);
  Number value = -7;
  const auto [end, found] = from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_EQ(found, error);
  EXPECT_EQ(end - text.data(), static_cast<std::ptrdiff_t>(length));
  EXPECT_EQ(value, error == std::errc() ? expected : -7) << "unchanged where it is no number";
}

TEST(FromChars, ReadsTheNumberAtTheBeginning) {
  expect_read("1.5", 1.5, 3);
  expect_read("-0.25e2,7", -25.0, 7);
  expect_read(".5", 0.5, 2);
  expect_read("5.", 5.0, 2);
  expect_read("5e", 5.0, 1);
  expect_read("0x10", 0.0, 1);
  expect_read("4.9e-324", 4.9e-324, 8);
  expect_read("0.1", 0.1f, 3);
  expect_read("16777217", 16777216.0f, 8);
  expect_read("1e-45", 1e-45f, 5);
  expect_read("12,5", 12, 2);
  expect_read("-inf", -INFINITY, 4);
}

TEST(FromChars, RefusesWhatIsNone) {
  for (const char* text : {"", " 1", "+1", "-", "e5", ".", "x", "--1"})
    expect_read(text, 0.0, 0, std::errc::invalid_argument);
  expect_read("1e400", 0.0, 5, std::errc::result_out_of_range);
  expect_read("-1e39x", 0.0f, 5, std::errc::result_out_of_range);
  expect_read("1e-400", 0.0, 6, std::errc::result_out_of_range);
}

}  // namespace
}  // namespace beatscan
