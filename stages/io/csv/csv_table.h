// stages/io/csv/csv_table.h — finds where the table of a CSV file begins: after comments and metadata.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stages/io/csv/csv_metadata.h"

namespace beatscan {

struct CsvLine;

struct CsvTable {
  std::size_t first = 0;              // the table's first line, among those that were examined
  std::optional<std::size_t> header;  // a comment that names the columns, before `first`
  bool has_units = false;             // the line after the header has the columns' units
  CsvMetadata metadata;
  std::int64_t may_begin_at = 0;  // number of a later line at which it may begin as well; 0 for none
};

// Finds the table. Without `skip_lines`, lines before it are skipped only in these cases:
//   - a line begins with # or %
//   - the first line is "sep=;", which specifies the delimiter for Excel
//   - a line is a key and a value, all lines up to the table are such lines, titles, or blank, and they are certain
//     to be metadata (CsvMetadata::is_certain)
//   - a line is blank, and a header follows
// The table begins with the line before the first one whose first cell is a number or a time if that line is its
// header. Any other file begins with its first line: a bad row is never skipped.
//   delimiter   the character that the user gives; 0 to find it
//   skip_lines  lines that the user skips; then no others are, and metadata are read from these
CsvTable find_table(std::span<const CsvLine> lines, char delimiter, std::optional<std::int64_t> skip_lines);

// Returns the delimiter that a first line "sep=;" specifies; nothing for any other line.
std::optional<char> delimiter_stated_by(std::string_view line);

// Returns a comment without its mark and the blanks after it.
std::string_view without_mark(std::string_view comment);

}  // namespace beatscan
