#include "kernels/csv/digits.h"

#include <gtest/gtest.h>

#include <charconv>
#include <memory>
#include <random>
#include <string>

#include "tests/support/decimal_oracle.h"

namespace beatscan::decimal {
namespace {

constexpr int kRuns[] = {1, 2, 7, 8, 9, 15, 16, 17, 18, 19, 20, 24, 31, 32, 33};
// Both neighbours of the digits in ASCII, bytes whose test carries into the next byte, and others that may follow
// digits.
constexpr std::string_view kOthers = "/:.eE-+ ,;\n\r\"nx\x01\x7f\x80\x89\x8a\xb0\xb9\xba\xff";

std::string digits_of(std::mt19937_64& random, int size) {
  std::string digits(size, ' ');
  for (char& c : digits) c = static_cast<char>('0' + random() % 10);
  return digits;
}

Digits by_eight(const std::string& text, std::size_t size, std::size_t readable) {
  return take_digits_by_eight(text.data(), text.data() + size, text.data() + readable);
}

// Expects eight bytes at a time to find nothing, or the same as one by one. If `wanted`, they must find it.
void expect_as_singly(const std::string& text, std::size_t size, bool wanted) {
  const Digits singly = take_digits_singly(text.data(), text.data() + size);
  const Digits digits = by_eight(text, size, text.size());
  EXPECT_TRUE(digits.end != nullptr || singly.end == nullptr || !wanted) << text;
  if (digits.end == nullptr) return;
  EXPECT_EQ(digits.end - text.data(), singly.end - text.data()) << text;
  EXPECT_EQ(digits.value, singly.value) << text;
  EXPECT_EQ(digits.exponent, singly.exponent) << text;
  EXPECT_TRUE(digits.exact && singly.exact) << text;
}

TEST(Digits, WorkedByHand) {
  const std::string text = "-12.0340e5;                                 ";
  for (const Digits& digits : {take_digits_singly(&text[1], &text[11]), by_eight(text.substr(1), 10, 40)}) {
    EXPECT_EQ(digits.value, 120340);
    EXPECT_EQ(digits.exponent, -4);
    EXPECT_TRUE(digits.exact);
  }
  const std::string longer = "0.0099999999999999999991";
  const Digits digits = take_digits_singly(longer.data(), longer.data() + longer.size());
  EXPECT_EQ(digits.value, 9'999'999'999'999'999'999u);
  EXPECT_EQ(digits.exponent, -21);
  EXPECT_FALSE(digits.exact);
  for (const std::string none : {"", ".", ".e5", "x1", "-1"}) {
    EXPECT_EQ(take_digits_singly(none.data(), none.data() + none.size()).end, nullptr) << none;
    EXPECT_EQ(by_eight(none + std::string(40, ' '), none.size(), 40).end, nullptr) << none;
  }
}

TEST(Digits, ARunEndsAtAnyByteThatIsNoDigit) {
  std::mt19937_64 random(1);
  for (const int run : kRuns)
    for (const char other : kOthers)
      for (int end = 0; end <= run; ++end) {
        std::string text = digits_of(random, run) + "  " + digits_of(random, 40);
        text[end] = other;
        expect_as_singly(text, run + 1, end <= 19 && other != '.');
      }
}

TEST(Digits, APointMayLieAnywhere) {
  std::mt19937_64 random(2);
  for (const int run : kRuns)
    for (int point = 0; point <= run; ++point)
      for (int second = point + 1; second <= run + 2; ++second) {  // a second point, which ends the number
        std::string text = digits_of(random, run) + "  " + digits_of(random, 40);
        text[point] = text[second] = '.';
        expect_as_singly(text, run + 2, std::min(run, second - 1) <= 19);
      }
}

TEST(Digits, LeadingZerosAreNoneOfTheNineteen) {
  for (const std::string zeros : {"0", "00000000", "0.", "0.0000000", ".00000000", "0.000000000"})
    for (const std::string rest : {"", "1", "1234567890123456789", "9999999999999999999"}) {
      expect_as_singly(zeros + rest + std::string(40, ';'), (zeros + rest).size(), true);
      expect_as_singly(zeros + rest + "5" + std::string(40, ';'), (zeros + rest).size() + 1, rest.size() < 19);
    }
}

// Bytes from `last` on are not part of the number, and bytes from `limit` on are not even read. AddressSanitizer sees
// it if they are.
TEST(Digits, EndAtTheGivenEnd) {
  std::mt19937_64 random(3);
  for (const int run : kRuns)
    for (int size = 0; size <= run; ++size)
      for (const int readable : {0, 1, 7, 8, 9, 31, 32, 33, 64}) {
        if (readable < size) continue;
        const std::string text = "1" + digits_of(random, run - 1) + ";" + digits_of(random, 64);
        const std::unique_ptr<char[]> exact(new char[readable]);
        std::copy_n(text.data(), readable, exact.get());
        const char *last = exact.get() + size, *limit = exact.get() + readable;
        const Digits eight = take_digits_by_eight(exact.get(), last, limit);
        EXPECT_EQ(eight.end, size == run && size <= 19 && readable >= 32 ? last : nullptr);
        EXPECT_EQ(take_digits(exact.get(), last, limit).end, size > 0 ? last : nullptr);
      }
}

TEST(Digits, MatchFromChars) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 200'000; ++i) {
    const std::string digits = digits_of(random, 1 + static_cast<int>(random() % 19));
    std::uint64_t expected = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), expected);
    const std::string text = digits + "," + std::string(40, '7');
    const Digits found = by_eight(text, digits.size(), text.size());
    ASSERT_EQ(found.value, expected) << text;
    ASSERT_EQ(found.end, text.data() + digits.size()) << text;
  }
}

// Tests whole cells with anything after them: numbers, words and texts that are neither.
TEST(DigitsOfCell, WhatFollowsACellDoesNotMatter) {
  std::mt19937_64 random(5);
  for (const std::string cell : {"1",
                                 "-1.5",
                                 "+12345678",
                                 "123456789e-3",
                                 "-3.734923899173736572e-02",
                                 "0.037349",
                                 "1.",
                                 ".5",
                                 "1e5",
                                 "1e",
                                 "-",
                                 "",
                                 ".",
                                 "NA",
                                 "nan",
                                 "nanx",
                                 "null",
                                 " 7 ",
                                 "\" 1.25\"",
                                 "1 2",
                                 "1e39",
                                 "12345678.12345678",
                                 "1234567890123456789",
                                 "12345678901234567890123",
                                 "00000000000000000000000000000000000000001",
                                 "1/",
                                 "1:",
                                 "\x80x",
                                 "1\xff"})
    for (const std::string behind : {"", "0", "9", ".", ".5", "e5", "\n", "\n123456789", "\"", " ", "\xff", "/", ":"})
      for (const int more : {0, 1, 24, 40}) {
        const std::string text = cell + behind + ';' + digits_of(random, more);
        const std::unique_ptr<char[]> exact(new char[text.size()]);
        std::copy(text.begin(), text.end(), exact.get());
        const Cell parsed = parse_cell(exact.get(), exact.get() + cell.size(), exact.get() + text.size());
        const Cell expected = expected_cell(cell);
        EXPECT_EQ(parsed.kind, expected.kind) << cell << " before " << behind;
        EXPECT_TRUE(parsed.value == expected.value ||
                    (parsed.value != parsed.value && expected.value != expected.value))
            << cell << " before " << behind << " gave " << parsed.value;
      }
}

}  // namespace
}  // namespace beatscan::decimal
