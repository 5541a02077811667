#include "tests/fuzz/reference_csv.h"

#include <bit>
#include <cmath>

#include "tests/fuzz/support.h"
#include "tests/support/decimal_oracle.h"

namespace beatscan::fuzz {
namespace {

struct Row {
  std::vector<std::string_view> cells;
  const char* open_quote = nullptr;  // a quote that is not closed
};

// Splits a line at its delimiters. A delimiter between quotes does not count. In a file of one column, a line that is a
// value as a whole is not split, though a blank may be the delimiter.
Row row_of(std::string_view line, char delimiter, int columns) {
  Row row;
  if (const auto kind = expected_cell(line).kind;
      columns == 1 && (kind == CellKind::number || kind == CellKind::missing)) {
    row.cells.push_back(line);
    return row;
  }
  std::size_t begin = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      row.open_quote = row.open_quote ? nullptr : line.data() + i;
    } else if (line[i] == delimiter && !row.open_quote) {
      row.cells.push_back(line.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  row.cells.push_back(line.substr(begin));
  return row;
}

// Returns what is wrong with a row and where, or nothing for a good row.
std::string fault_of(const Row& row, std::string_view line, std::string_view text, const CsvLayout& layout,
                     const Cell& cell) {
  const auto at = [&](const char* place, const std::string& what) {
    return ": byte " + std::to_string(place - text.data()) + ": " + what;
  };
  const auto columns = std::ssize(row.cells);
  if (row.open_quote) return at(row.open_quote, "a quote is not closed before the line ends");
  if (columns != layout.columns)
    return at(line.data(),
              std::to_string(columns) + (columns == 1 ? " cell" : " cells") + " where the first line has ") +
           std::to_string(layout.columns);
  const char* const begin = row.cells[static_cast<std::size_t>(layout.column)].data();
  if (cell.kind == CellKind::bad) return at(begin, "'");
  if (cell.kind == CellKind::out_of_range) return at(begin, "'");
  return "";
}

}  // namespace

ReferenceCsv reference_csv(std::string_view text, const CsvHeader& header) {
  const CsvLayout layout = header.layout;
  ReferenceCsv reference;
  const auto end = text.find_last_not_of("\r\n");
  const auto begin = static_cast<std::size_t>(header.data_offset);
  std::string edited(text);
  if (header.edits.any()) header.edits(edited);
  text = edited;
  const std::string_view first_line = text.substr(static_cast<std::size_t>(header.table_offset));
  const bool is_edited =
      header.has_header &&
      (header.edits.any() || header.columns[0].empty());  // names are separated by other rules than rows
  require(is_edited || std::ssize(row_of(first_line.substr(0, first_line.find('\n')), layout.delimiter, 0).cells) ==
                           layout.columns,
          "the first line has other columns");
  if (end == text.npos || end < begin) {
    reference.error = "no sample has a value";
    return reference;
  }
  std::string_view rest = text.substr(begin, end + 1 - begin);
  for (std::int64_t number = header.first_line;; ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const Row row = row_of(line, layout.delimiter, layout.columns);
    const bool whole = !row.open_quote && std::ssize(row.cells) == layout.columns;
    const Cell cell =
        whole ? expected_cell(row.cells[static_cast<std::size_t>(layout.column)]) : Cell{CellKind::bad, NAN};
    if (const std::string fault = fault_of(row, line, text, layout, cell); !fault.empty()) {
      reference.error = "x.csv:" + std::to_string(number) + fault;
      return reference;
    }
    reference.values.push_back(cell.value);
    reference.missing += cell.kind == CellKind::missing;
    if (line.size() == rest.size()) break;
    rest.remove_prefix(line.size() + 1);
  }
  if (reference.missing == std::ssize(reference.values)) reference.error = "no sample has a value";
  return reference;
}

void expect_values(const std::vector<float>& samples, const ReferenceCsv& expected) {
  require(samples.size() == expected.values.size(), "another number of samples");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool right = std::isnan(expected.values[i]) ? std::isfinite(samples[i])
                                                      : std::bit_cast<std::uint32_t>(samples[i]) ==
                                                            std::bit_cast<std::uint32_t>(expected.values[i]);
    require(right, "sample " + std::to_string(i) + " is " + std::to_string(samples[i]));
  }
}

void expect_gaps(const std::vector<std::int64_t>& firsts, const std::vector<std::int64_t>& lasts,
                 const ReferenceCsv& expected) {
  std::vector<std::int64_t> expected_firsts, expected_lasts;
  const auto missing = [&](std::int64_t i) {
    return i >= 0 && i < std::ssize(expected.values) && std::isnan(expected.values[static_cast<std::size_t>(i)]);
  };
  for (std::int64_t i = 0; i < std::ssize(expected.values); ++i) {
    if (missing(i) && !missing(i - 1)) expected_firsts.push_back(i);
    if (missing(i) && !missing(i + 1)) expected_lasts.push_back(i);
  }
  require(firsts == expected_firsts && lasts == expected_lasts, "other gaps");
}

}  // namespace beatscan::fuzz
