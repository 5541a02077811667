// tests/fuzz/reference_csv.h — reads a column of a CSV text plainly: line by line, cell by cell, with strtof.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stages/io/csv/csv_header.h"

namespace beatscan::fuzz {

struct ReferenceCsv {
  std::vector<float> values;  // NaN where missing
  std::int64_t missing = 0;
  std::string error;  // the part that matters of the program's message for the first bad row; empty: none
};

// Reads the rows from the header's data_offset on. Line ends at the text's end are no rows.
ReferenceCsv reference_csv(std::string_view text, const CsvHeader& header);

// Throws Find where samples differ from the values, or gaps from the runs of missing values. In place of a missing
// value any finite sample is right.
void expect_values(const std::vector<float>& samples, const ReferenceCsv& expected);
void expect_gaps(const std::vector<std::int64_t>& firsts, const std::vector<std::int64_t>& lasts,
                 const ReferenceCsv& expected);

}  // namespace beatscan::fuzz
