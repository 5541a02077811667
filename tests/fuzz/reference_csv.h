// tests/fuzz/reference_csv.h — a column of a CSV text by the plainest reader: line by line, cell by cell, strtof.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stages/input/csv/csv_header.h"

namespace beatscan::fuzz {

struct ReferenceCsv {
  std::vector<float> values;  // NaN where missing
  std::int64_t missing = 0;
  std::string error;  // of the first bad row, as the program words it (or its part that matters); empty: none
};

// Rows from the header's data_offset on; line ends that end the text are no rows.
ReferenceCsv reference_csv(std::string_view text, const CsvHeader& header);

// Throws Find where samples are not the values (a missing one: anything finite), or gaps not the runs of missing ones.
void expect_values(const std::vector<float>& samples, const ReferenceCsv& expected);
void expect_gaps(const std::vector<std::int64_t>& firsts, const std::vector<std::int64_t>& lasts,
                 const ReferenceCsv& expected);

}  // namespace beatscan::fuzz
