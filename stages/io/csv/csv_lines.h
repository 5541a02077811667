// stages/io/csv/csv_lines.h — the first lines of a CSV file as text: lines, cells, numbers with a decimal comma.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/csv/decimal.h"

namespace beatscan {

struct CsvLine {
  std::string_view text;    // without its line end; a CR may stand at its end
  std::int64_t first_byte;  // offset in the file
  std::int64_t number;      // the file's first line is 1
};

// Splits the start of a file into lines. A line that may continue after `head` is left out, except the very first.
//   offset  byte of the file at which `head` begins
//   whole   whether the file ends with `head`
std::vector<CsvLine> lines_of(std::string_view head, std::int64_t offset, bool whole);

// Removes blanks, one pair of double quotes, and blanks within them.
std::string trimmed(std::string_view cell);

// Returns the trimmed cells of a line. A delimiter between quotes does not count.
std::vector<std::string> cells_of(std::string_view line, char delimiter);

// Returns the first of tab, semicolon, bar and comma that is in the line; a comma where none is. The comma comes last:
// in a file with decimal commas another character separates the columns.
char find_delimiter(std::string_view line);

inline bool is_blank_line(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

inline CellKind kind_of_cell(std::string_view cell) { return parse_cell(cell.data(), cell.data() + cell.size()).kind; }
inline bool is_number_cell(std::string_view cell) { return kind_of_cell(cell) == CellKind::number; }

// Returns whether a cell begins like a number: "1.1x5", "1,500" or "2 mV" may be a damaged sample.
inline bool begins_like_a_number(std::string_view cell) {
  const auto digit = cell.find_first_not_of("+-.,");
  return digit != cell.npos && digit <= 2 && decimal::is_digit(cell[digit]);
}

// Returns the value of a cell that holds a number, as a double.
double value_of_cell(std::string_view cell);

// Exchanges commas and points. So a file with decimal commas becomes one with decimal points, and a point in it, which
// may separate thousands, is refused like a comma elsewhere.
template <class Text>
void swap_points_and_commas(Text&& text) {
  for (char& c : text) c = c == ',' ? '.' : c == '.' ? ',' : c;
}
inline std::string with_points_and_commas_swapped(std::string_view text) {
  std::string swapped(text);
  swap_points_and_commas(swapped);
  return swapped;
}

// Returns whether a cell is a number with a decimal comma: 0,5 or "-1,25e-3".
bool has_decimal_comma(std::string_view cell);

// Returns whether a cell is a number with a decimal comma that may also be a whole number with a separator of
// thousands: 1,234.
bool may_be_thousands(std::string_view cell);

}  // namespace beatscan
