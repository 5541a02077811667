// stages/input/csv/csv_header.h — finds out from the first line of a CSV file its delimiter, whether it has a header,
// its columns, and which of them to read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/csv/columns.h"
#include "stages/input/csv/text_reader.h"
#include "stages/recording/leads.h"

namespace beatscan {

struct CsvOptions {
  WantedLead column;                   // if empty, the only column or the first not named like a time
  std::string delimiter;               // one character; if empty, it is found from the first line
  WantedLead time_column;              // if empty, it is found by its name; "-" for none
  std::vector<WantedLead> leads = {};  // columns to read if `column` is empty; if empty, those that are ECG by name
  bool first_alone = false;            // of these the first alone
};

struct CsvHeader {
  CsvLayout layout;              // its column is the first of `leads`
  std::vector<int> leads = {0};  // positions of the columns that are read, in this order; at least one
  bool has_header = false;
  std::vector<std::string> columns;  // names; without a header "0", "1", …
  std::int64_t data_offset = 0;      // byte where the first row of data starts
  std::int64_t first_line = 1;       // line number of the first row of data; the file's first line is 1
  int time_column = -1;              // position of the column with each row's time; -1 for none
};

// Returns how row [first, last) is parsed for the first of the columns that is bad there, or for the first column.
ParsedRow first_fault(const CsvHeader& header, const char* first, const char* last);

// Reads the first line. Without a choice, the columns that are read are those that are ECG by name; if there is none,
// the only column, or the first that is not named like a time. Throws ErrorKind::input for a file that is empty or not
// text, and for a column that is not there; the message names the column with the nearest name.
CsvHeader read_csv_header(const InputFile& file, const CsvOptions& options);

}  // namespace beatscan
