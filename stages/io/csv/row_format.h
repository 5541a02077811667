// stages/io/csv/row_format.h — determines from the rows of a table how their cells are separated, where a first line
// does not show it: by blanks of any width, or by commas that are decimal, too.
#pragma once

#include <cstddef>
#include <span>

#include "stages/io/csv/csv_lines.h"
#include "stages/io/csv/row_edits.h"

namespace beatscan {

// The format of rows; nothing of it applies to plain CSV.
struct RowFormat {
  bool blanks = false;           // see RowEdits
  bool commas_in_pairs = false;  // see RowEdits
  bool one_number = false;       // a row is one number, with a decimal comma
  std::size_t first = 0;         // the first row among the lines
  std::size_t columns = 1;
};

// Looks at the rows from the first one on after which nine of ten lines are rows.
//   blanks           all cells are numbers, times or missing; each row has as many; no tab, semicolon or bar
//   one_number       more than half of the numbers have one comma, and none has a point. What stands before names no
//                    two columns: it is one name, metadata such as a recorder writes, or nothing. Without a name the
//                    rows are no two columns by this: -0 before a comma, or 0 as the first digit of several behind one
//   commas_in_pairs  twice as many cells as names, the even ones of digits alone
RowFormat find_row_format(std::span<const CsvLine> lines);

// Returns the format of rows whose cells are between blanks, as the user says.
RowFormat rows_between_blanks(std::span<const CsvLine> lines);

// Writes a tab between the cells of the rows, and between the names that the lines before them have, into `head`, whose
// lines they are.
void separate_by_tabs(std::span<char> head, std::span<const CsvLine> lines, const RowFormat& format);

}  // namespace beatscan
