#include "kernels/csv/decimal.h"

#include <bit>
#include <cfloat>
#include <cstdio>

#include "stages/common/from_chars.h"
#include "tests/support/backends.h"
#include "tests/support/csv_parse.h"
#include "tests/support/decimal_oracle.h"
#include "tests/support/decimal_texts.h"

namespace beatscan {
namespace {

std::uint32_t bits(float value) { return bits_of({value})[0]; }

Cell parsed(const std::string& text) { return parse_cell(text.data(), text.data() + text.size()); }

template <class Context>
class Decimal : public OnBackend<Context> {
 protected:
  ParsedColumn parse(const std::string& lines) { return parsed_column(this->context(), lines); }

  void expect_as_oracle(const std::vector<std::string>& texts) {
    std::string lines;
    for (const auto& text : texts) lines += text + '\n';
    lines.pop_back();
    const auto values = parse(lines).values;
    ASSERT_EQ(values.size(), texts.size());
    for (std::size_t i = 0, failures = 0; i < texts.size() && failures < 10; ++i) {
      const float expected = expected_cell(texts[i]).value;
      if (bits(values[i]) == bits(expected)) continue;
      ++failures;
      ADD_FAILURE() << texts[i] << " gave " << values[i] << ", expected " << expected;
    }
  }
};
TYPED_TEST_SUITE(Decimal, Backends, BackendNames);

TYPED_TEST(Decimal, WorkedByHand) {
  const auto expect = [&](const std::string& text, CellKind kind, float value = NAN) {
    SCOPED_TRACE("'" + text + "'");
    const Cell cell = parsed(text);
    EXPECT_EQ(cell.kind, kind);
    EXPECT_EQ(bits(cell.value), bits(value));
    const ParsedColumn column = this->parse(text);
    EXPECT_EQ(bits(column.values.at(0)), bits(value));
    EXPECT_EQ(column.findings.missing, kind == CellKind::missing);
    EXPECT_EQ(column.findings.first_bad_row == 0, kind == CellKind::bad || kind == CellKind::out_of_range);
  };
  for (const char* text : {"1.145", "+1.145", "  1.145\t", "1.145\r", "\"1.145\"", " \" 1.145 \" ", "1145e-3",
                           "0001.14500", "0.0001145E+4", "11.45e-01", ".1145e1", "1145000000000000000000000000e-27"})
    expect(text, CellKind::number, 1.145f);
  expect("0", CellKind::number, 0);
  expect("-0", CellKind::number, -0.0f);
  expect("-0.000e5", CellKind::number, -0.0f);
  expect("0e99999999999999999999", CellKind::number, 0);
  expect("5.", CellKind::number, 5);
  expect(".5", CellKind::number, 0.5f);
  expect("-.5e-1", CellKind::number, -0.05f);
  expect("1e-400", CellKind::number, 0);
  expect("-1e-400", CellKind::number, -0.0f);
  expect("1e-99999999999999999999", CellKind::number, 0);
  expect("340282346638528859811704183484516925440", CellKind::number, FLT_MAX);
  expect("1.17549435082228750796873653722224567781866555677209e-38", CellKind::number, FLT_MIN);
  expect("1e400", CellKind::out_of_range);
  expect("-1e39", CellKind::out_of_range);
  expect("1e99999999999999999999", CellKind::out_of_range);
  for (const char* text : {"", " ", "\t \r", "\"\"", "\" \"", "NaN", "nan", "NAN", "NA", "na", "Na", "null", "NULL",
                           "Null", " nan ", "\"NA\""})
    expect(text, CellKind::missing);
  for (const char* text : {"1e",
                           "1e+",
                           "1e-",
                           "1e+-5",
                           "e5",
                           ".",
                           "-",
                           "+",
                           "+-1",
                           "--5",
                           "1.2.3",
                           "0x10",
                           "inf",
                           "-inf",
                           "Infinity",
                           "1_000",
                           "1f",
                           "1 2",
                           "1,5",
                           "n",
                           "nanx",
                           "-nan",
                           "nul",
                           "nulls",
                           "\"",
                           "\"1",
                           "1\"",
                           "\"\"1\"\"",
                           "1e5.0",
                           "1e 5",
                           "five",
                           "\xc2\xa0"
                           "1",
                           "1;"})
    expect(text, CellKind::bad);
}

// Numbers have significands and exponents of each length, and zeros wherever zeros mean nothing.
TYPED_TEST(Decimal, ZerosDoNotMatter) {
  std::vector<std::string> texts;
  const std::string zeros(1000, '0');
  for (const std::size_t n : {0, 1, 18, 19, 20, 45, 120, 1000}) {
    const std::string z = zeros.substr(0, n);
    texts.insert(texts.end(),
                 {z + "16777217", "0." + z + "16777217", z + ".16777217" + z, "16777217." + z, "16777217." + z + "1",
                  "0." + z + "16777217e" + std::to_string(n), "1e" + z + "7", "1" + z + "e-" + std::to_string(n),
                  "1." + z + "1e-" + z + "10", "0" + z + "." + z + "0"});
  }
  this->expect_as_oracle(texts);
}

// The host takes eight bytes at a time. So there are texts with any number of digits, and with another character at
// each place among them.
TYPED_TEST(Decimal, AnythingAmongDigits) {
  std::mt19937_64 random(4);
  std::vector<std::string> texts;
  for (const int size : {1, 7, 8, 9, 15, 16, 17, 18, 19, 20, 24})
    for (int place = 0; place <= size; ++place)
      for (const char* other : {"", ".", "e", "e-", "E+", "/", ":", "-", " ", "\x01", "\x7f", "\x80", "\x8a", "\xff"}) {
        std::string digits(size, ' ');
        for (char& c : digits) c = static_cast<char>('0' + random() % 10);
        texts.push_back(digits.insert(place, other));
        texts.push_back("-0." + digits);
        texts.push_back(digits + "e-5");
      }
  this->expect_as_oracle(texts);
}

// The last of many digits decides how these numbers are rounded.
TYPED_TEST(Decimal, HalfwayCases) {
  std::vector<std::string> texts{"3e10",     "9e9",      "16777217",
                                 "16777219", "33554434", "33554438"};  // half-way between floats, in few digits
  std::mt19937_64 random(1);
  std::vector<float> floats{0,
                            1,
                            0.1f,
                            1.145f,
                            16777216,
                            16777215,
                            1e10f,
                            1e-10f,
                            FLT_TRUE_MIN,
                            2 * FLT_TRUE_MIN,
                            FLT_MIN,
                            std::nextafter(FLT_MIN, 0.0f),
                            FLT_MAX,
                            std::nextafter(FLT_MAX, 0.0f)};
  for (int i = 0; i < 60; ++i) floats.push_back(random_finite_float(random));
  for (const float value : floats) {
    const DecimalDigits exact = midpoint_above(std::fabs(value));
    const int shortest = static_cast<int>(exact.digits.size());
    for (const int size : {shortest, shortest + 1, 19, 20, 119, 120, 121, 122, 200, 800}) {
      if (size < shortest) continue;
      for (const int last : {-1, 0, 1}) {
        const DecimalDigits near = with_last_digit_moved(exact, size, last);
        for (int style = 0; style < kDecimalStyles; ++style) texts.push_back(decimal_text(near, style));
        texts.push_back("-" + texts.back());
      }
    }
  }
  this->expect_as_oracle(texts);
}

TYPED_TEST(Decimal, EdgesOfTheRange) {
  std::vector<std::string> texts;
  // 2^128 - 2^103 is half-way from the largest float to 2^128. It is the first number that is out of range.
  for (const char* digits :
       {"3402823566", "34028235677973366163753939545814256844", "340282356779733661637539395458142568447",
        "340282356779733661637539395458142568448", "340282356779733661637539395458142568449",
        "340282346638528859811704183484516925440", "340282366920938463463374607431768211456", "3402823567",
        "3402823568", "34028234", "34028236", "9999999999999999999", "99999999999999999999"})
    for (int exponent = -90; exponent <= 42; ++exponent) texts.push_back(digits + ("e" + std::to_string(exponent)));
  for (int exponent = -420; exponent <= 420; ++exponent)
    for (const char* digits : {"1", "9.99999", "7.006492321624085354618", "1.401298464324817070923"})
      texts.push_back(digits + ("e" + std::to_string(exponent)));
  this->expect_as_oracle(texts);
}

// Property: nine digits, or the fewest that distinguish floats by from_chars, identify a float.
TYPED_TEST(Decimal, EveryFloatComesBack) {
  std::mt19937_64 random(3);
  std::vector<float> floats;
  std::string lines;
  for (int i = 0; i < 200'000; ++i) {
    floats.push_back(random_finite_float(random));
    char text[64];
    if (i % 2) {
      std::snprintf(text, sizeof text, "%.9g", floats.back());
      lines += text;
    } else {
      lines.append(text, std::to_chars(text, text + sizeof text, floats.back()).ptr);
    }
    lines += '\n';
  }
  lines.pop_back();
  const auto values = this->parse(lines).values;
  for (std::size_t i = 0; i < floats.size(); ++i) ASSERT_EQ(bits(values[i]), bits(floats[i])) << i;
}

// Returns whether std::from_chars agrees. It takes no '+', and gives no value if that would be zero or infinity.
bool agrees_with_from_chars(std::string_view text, float expected) {
  if (text.starts_with('+')) text.remove_prefix(1);
  float value = 0;
  const auto [end, error] = from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return expected != expected || std::fabs(expected) < FLT_MIN;
  return error == std::errc() && end == text.data() + text.size() && bits(value) == bits(expected);
}

// BEATSCAN_TEST_CASES sets the number of cases. The default takes a second or two.
TYPED_TEST(Decimal, RandomTextsMatchStrtofAndFromChars) {
  constexpr std::int64_t kBatch = 100'000;
  const char* wanted = std::getenv("BEATSCAN_TEST_CASES");
  const std::int64_t cases = wanted ? std::atoll(wanted) : 2'000'000;
  for (std::int64_t batch = 0; batch * kBatch < cases; ++batch) {
    SCOPED_TRACE(testing::Message() << "seed " << batch);
    std::mt19937_64 random(batch);
    std::string lines;
    std::vector<std::size_t> starts;
    for (std::int64_t i = 0; i < kBatch; ++i) {
      starts.push_back(lines.size());
      append_random_text(random, lines);
      lines += '\n';
    }
    starts.push_back(lines.size());
    const auto values = this->parse(lines.substr(0, lines.size() - 1)).values;
    ASSERT_EQ(std::ssize(values), kBatch);
    for (std::int64_t i = 0; i < kBatch; ++i) {
      const float rounded = std::strtof(lines.c_str() + starts[i], nullptr);
      const float expected = std::isinf(rounded) ? NAN : rounded;
      const std::string_view text(lines.data() + starts[i], starts[i + 1] - starts[i] - 1);
      ASSERT_EQ(bits(values[i]), bits(expected)) << text;
      ASSERT_TRUE(agrees_with_from_chars(text, expected)) << text;
    }
  }
}

}  // namespace
}  // namespace beatscan
