// stages/io/csv/row_edits.h — edits of the text of rows that make it plain CSV before it is parsed: a delimiter between
// columns, and decimal points. A text keeps its length and its line ends, so that places in it stay those of the file.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace beatscan {

// The text of each row, in the order in which it is edited.
struct RowEdits {
  bool blanks = false;            // runs of blanks separate the columns: each gets a tab
  bool decimal_commas = false;    // points and commas change places
  bool commas_in_quotes = false;  // the same, within quotes alone
  bool commas_in_pairs = false;   // commas separate columns and are decimal, too: each other one becomes a point
  bool dashes = false;            // a cell that is a dash becomes empty
  bool ends = false;              // delimiters without a value behind the last column become blanks
  char delimiter = ',';           // in the edited text
  int columns = 1;                // for `ends`

  bool any() const { return blanks || decimal_commas || commas_in_quotes || commas_in_pairs || dashes || ends; }
  // Edits whole lines.
  void operator()(std::span<char> rows) const;
};

inline bool is_blank_or_tab(char c) { return c == ' ' || c == '\t'; }

// Returns a line without the CR at its end.
inline std::string_view without_cr(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Returns the end of the cell that begins at `begin`, where blanks separate cells. A cell in quotes or brackets may
// hold blanks, and one blank may stand between a date and a time of day.
std::size_t end_of_cell_between_blanks(std::string_view line, std::size_t begin);

// Puts a blank in place of each cell that is a dash. `rows` are whole lines.
void blank_out_dashes(std::span<char> rows, char delimiter);

}  // namespace beatscan
