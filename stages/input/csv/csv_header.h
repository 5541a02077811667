// stages/input/csv/csv_header.h — what a CSV file is, from its first lines: delimiter, header, columns, and the one to
// read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/csv/csv.h"
#include "stages/input/csv/text_reader.h"

namespace beatscan {

struct CsvOptions {
  std::string column;       // name, or position from 0; empty: the only column, or the first not named like a time
  std::string delimiter;    // one character; empty: found from the first line
  std::string time_column;  // name, or position from 0; empty: found by its name; "-": none
};

struct CsvHeader {
  CsvLayout layout;
  bool has_header = false;
  std::vector<std::string> columns;  // names; "0", "1", ... without a header
  std::int64_t data_offset = 0;      // byte where the first row of data starts
  std::int64_t first_line = 1;       // its line number, the file's first line being 1
  int time_column = -1;              // the column that tells each row's time; -1: none
};

// Throws ErrorKind::input for a file that is empty or no text, and for a column that is not there (with the nearest
// name).
CsvHeader read_csv_header(const InputFile& file, const CsvOptions& options);

}  // namespace beatscan
