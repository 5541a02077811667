#include <bit>
#include <cmath>
#if __has_include(<fast_float/fast_float.h>)
#include <fast_float/fast_float.h>
#endif

#include "kernels/csv/decimal.h"
#include "stages/common/from_chars.h"
#include "tests/fuzz/support.h"
#include "tests/support/decimal_oracle.h"

namespace beatscan::fuzz {
namespace {

bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

// Compares a cell with the standard library and fast_float. Neither of them knows '+', and the standard library gives
// no value for a number that is too small.
void check_number(std::string_view text, const Cell& cell) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  float value = 0;
  const auto standard = from_chars(text.data(), end, value);
  require(standard.ptr == end, "std::from_chars does not take all of '" + std::string(text) + "'");
  if (standard.ec == std::errc())
    require(same_bits(value, cell.value), "std::from_chars differs on '" + std::string(text) + "'");
#ifdef FASTFLOAT_FAST_FLOAT_H
  const auto fast = fast_float::from_chars(text.data(), end, value);
  require(fast.ptr == end, "fast_float does not take all of '" + std::string(text) + "'");
  require(cell.kind == CellKind::out_of_range ? std::isinf(value) : same_bits(value, cell.value),
          "fast_float differs on '" + std::string(text) + "'");
#endif
}

void check(std::string_view text) {
  const Cell expected = expected_cell(text);
  // The host's parser may read on to `limit`. So the cell is parsed with nothing after it, and with more digits after
  // it.
  const std::string alone(text), followed = alone + "1234567890.1234567890e12345678901234567890";
  for (const std::string& memory : {alone, followed}) {
    const char* const first = memory.data();
    const Cell cell = parse_cell(first, first + text.size(), first + memory.size());
    require(cell.kind == expected.kind, "not the kind of strtof: '" + alone + "'");
    if (cell.kind == CellKind::number)
      require(same_bits(cell.value, expected.value), "not the value of strtof: '" + alone + "'");
    else
      require(std::isnan(cell.value), "a value without a number: '" + alone + "'");
    std::string_view number = without_blanks(text);
    if (number.size() >= 2 && number.front() == '"') number = without_blanks(number.substr(1, number.size() - 2));
    if (cell.kind == CellKind::number || cell.kind == CellKind::out_of_range) check_number(number, cell);
  }
}

}  // namespace

void cell(Bytes bytes) {
  std::string_view rest = text_of(bytes);
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    check(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace beatscan::fuzz
