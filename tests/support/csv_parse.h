// tests/support/csv_parse.h — reads a column of a CSV text with the kernels of a back end, and by a simple reference
// implementation.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/csv/csv.h"
#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/decimal_oracle.h"

namespace beatscan {

struct Parsed {
  std::vector<std::uint32_t> row_ends;
  std::vector<std::uint32_t> value_bits;
  std::int64_t missing = 0;
  std::vector<std::int64_t> bad_rows;
  bool operator==(const Parsed&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Parsed& parsed) {
  const auto [row_ends, value_bits, missing, bad_rows] = parsed;
  out << row_ends.size() << " rows that end at";
  for (std::size_t row = 0; row < std::min<std::size_t>(row_ends.size(), 20); ++row)
    out << ' ' << row_ends[row] << " (" << std::bit_cast<float>(value_bits[row]) << ')';
  return out << "; " << missing << " missing, bad rows " << testing::PrintToString(bad_rows);
}

// Reads the column character by character; nullopt if a quote is left open.
inline std::vector<std::string> cells_of(const std::string& row, char delimiter) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : row) {
    if (c == '"') quoted = !quoted;
    if (c == delimiter && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return quoted ? std::vector<std::string>{} : cells;
}

inline Parsed expected_parse(const std::string& text, CsvLayout layout) {
  Parsed expected;
  std::string row;
  std::vector<float> values;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != '\n') {
      row += text[i];
      continue;
    }
    expected.row_ends.push_back(static_cast<std::uint32_t>(i));
    const auto cells = cells_of(row, layout.delimiter);
    const bool whole = std::ssize(cells) == layout.columns;
    const Cell cell = whole ? expected_cell(cells[layout.column]) : Cell{CellKind::bad, NAN};
    values.push_back(cell.value);
    expected.missing += cell.kind == CellKind::missing;
    const bool good = cell.kind == CellKind::number || cell.kind == CellKind::missing;
    if (!good) expected.bad_rows.push_back(std::ssize(values) - 1);
    row.clear();
  }
  expected.value_bits = bits_of(values);
  return expected;
}

// Reads the column with the kernels.
struct ParsedColumn {
  std::vector<std::uint32_t> row_ends;
  std::vector<float> values;
  CsvFindings findings;
};

// Copies a text to the context's memory, padded with zeros to a multiple of 16 bytes, because the kernels read 16-byte
// words.
template <class Context>
Buffer<char, Context> text_on(Context& context, std::string_view text) {
  std::vector<char> padded(text.begin(), text.end());
  padded.resize((text.size() + 15) / 16 * 16);
  auto buffer = from_host(context, padded);
  buffer.truncate(std::ssize(text));
  return buffer;
}

template <class Context>
ParsedColumn parsed_column(Context& context, const std::string& text, CsvLayout layout = {}) {
  const auto on_context = text_on(context, text);
  Buffer<std::uint32_t, Context> row_ends(context, count_line_ends(text) + 1);
  find_row_ends(context, on_context, row_ends);
  Buffer<float, Context> values(context, row_ends.size());
  auto findings = from_host(context, std::vector<CsvFindings>(1));
  parse_column(context, on_context, row_ends, layout, 0, values, findings);
  return {to_host(context, row_ends), to_host(context, values), to_host(context, findings)[0]};
}

template <class Context>
class Csv : public OnBackend<Context> {
 protected:
  Parsed parse(const std::string& text, CsvLayout layout = {}) {
    auto [row_ends, values, found] = parsed_column(this->context(), text, layout);
    Parsed result{std::move(row_ends), bits_of(values), found.missing, {}};
    for (std::size_t row = 0; row < values.size(); ++row)
      if (fault_of(values[row]) != RowFault::none) result.bad_rows.push_back(static_cast<std::int64_t>(row));
    EXPECT_EQ(found.bad, std::ssize(result.bad_rows));
    EXPECT_EQ(found.first_bad_row, result.bad_rows.empty() ? CsvFindings::kNone : result.bad_rows[0]);
    return result;
  }
};
inline Parsed parsed(std::vector<std::uint32_t> row_ends, const std::vector<float>& values, std::int64_t missing = 0,
                     std::vector<std::int64_t> bad_rows = {}) {
  return {std::move(row_ends), bits_of(values), missing, std::move(bad_rows)};
}

}  // namespace beatscan
