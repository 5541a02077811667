// stages/io/csv/csv_header.h — determines from the first lines of a CSV file where its table begins, its delimiter,
// whether it has a header, its columns, and which of them to read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/csv/csv.h"
#include "stages/io/csv/csv_metadata.h"
#include "stages/io/csv/row_edits.h"
#include "stages/io/recording/lead.h"

namespace beatscan {

class InputFile;

struct CsvOptions {
  WantedLead column;                   // if empty, the only column or the first not named like a time
  std::string delimiter;               // one character; if empty, it is found from the first line
  WantedLead time_column;              // if empty, it is found by its name; "-" for none
  std::vector<WantedLead> leads = {};  // columns to read if `column` is empty; if empty, those that are ECG by name
  bool first_alone = false;            // of these only the first
  std::string decimal = {};            // decimal separator, "." or ","; if empty, it is found
  std::optional<std::int64_t> skip_lines = {};  // lines before the table; nothing: they are found (csv_table.h)
};

struct CsvHeader {
  CsvLayout layout;              // its column is the first of `leads`
  std::vector<int> leads = {0};  // positions of the columns that are read, in this order; at least one
  bool has_header = false;
  bool has_names = false;                      // whether a header, or a line before the table, names the columns
  std::vector<std::string> columns;            // names; without a header "0", "1", …
  std::vector<std::string> units;              // of the columns, empty if not known
  std::vector<std::string> row_of_units = {};  // cells of the row of units below the header; empty if there is none
  std::int64_t table_offset = 0;               // byte where the table starts: its header, or else its first row of data
  std::int64_t table_line = 1;    // line number of that line; the file's first line is 1; 0 if it has no lines
  std::int64_t data_offset = 0;   // byte where the first row of data starts
  std::int64_t first_line = 1;    // line number of the first row of data
  std::int64_t may_begin_at = 0;  // line at which the table may begin instead, for a hint; 0 for none
  int time_column = -1;           // position of the column with each row's time; -1 for none
  RowEdits edits = {};            // of all rows before they are parsed
  std::vector<int> decimals =
      {};                     // of the columns that are read, if all numbers of the first rows have as many; else -1
  CsvMetadata metadata = {};  // what lines before the table specify
  std::vector<std::string> warnings = {};
  bool has_lines() const { return table_line > 0; }  // or else rows, counted from 0, as Parquet has
};

// Returns the unit of the times in seconds that a row of units specifies; nothing if there is none.
std::optional<double> stated_time_unit_s(const CsvHeader& header);

// Returns how row [first, last) is parsed for the first of the columns that is bad there, or for the first column.
ParsedRow first_fault(const CsvHeader& header, const char* first, const char* last);

// Reads the first lines. Without a choice, the columns that are ECG by name are read. If there are none, the first of
// these is read: the only column; all columns that only number channels (are_numbered in csv_choice.cpp); a column with
// ECG in its name; or the first column that is not named like a time, has numbers, and does not rise evenly as an index
// does. Columns that are named like another signal come last. Throws ErrorKind::input for a file that is empty or not
// text, and for a column that does not exist; the message names the column with the nearest name.
CsvHeader read_csv_header(const InputFile& file, const CsvOptions& options);

}  // namespace beatscan
