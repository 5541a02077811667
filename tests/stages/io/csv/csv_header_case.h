// tests/stages/io/csv/csv_header_case.h — what tests of headers and of the choice of columns share.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "stages/io/csv/csv_header.h"
#include "stages/io/recording/input_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {

// Reads the header of a table that is given as text.
class CsvHeaderCase : public testing::Test {
 protected:
  CsvHeader read(const std::string& text, const CsvOptions& options = {}) {
    return read_csv_header(InputFile(folder_.write("x.csv", text)), options);
  }
  int column_of(const std::string& text, const std::string& column = "") { return read(text, {column}).layout.column; }
  void expect_refused(const std::string& part, const std::string& text, const CsvOptions& options = {}) {
    expect_error(ErrorKind::input, part, [&] { read(text, options); });
  }
  TemporaryFolder folder_;
};

}  // namespace beatscan
