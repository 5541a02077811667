// stages/io/csv/first_values.h — finds rows between the header and the samples that describe the samples: their number,
// or start and sampling rate.
#pragma once

#include <optional>
#include <string>

#include "stages/io/csv/first_rows.h"
#include "stages/io/recording/start_time.h"

namespace beatscan {

struct FirstValues {
  int rows = 0;      // that are no samples
  std::string what;  // for the user, in words that follow "line 8 "
  std::optional<double> sample_rate_hz = {};
  std::optional<StartTime> start = {};
};

// Examines the first rows. In these two cases they are no samples; all values are far outside of those that follow in
// their columns, as far as the range of these or farther:
//   number  whole numbers, and one of these: the first cell is empty, and no other row's is; all are equal, in two
//           columns or more; all are within 5 % of the file's number of rows
//   start   one time since 1970 in all cells, between 1990 and 2100, in s or ms; and below it one rate in all cells, a
//           whole number of 10 to 10,000
//   expected_rows  about so many rows has the file
FirstValues first_values(const FirstRows& rows, double expected_rows);

}  // namespace beatscan
