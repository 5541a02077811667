// stages/io/csv/own_rows.h — finds the rows of a column whose rate is lower than that of the rows: its cells are empty
// in the others. So tables are written that hold signals of several rates, or that were joined by their times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

struct OwnRows {
  std::vector<std::int64_t> rows;  // with a value, ascending; empty if the column has the rate of the rows
  std::int64_t stride = 0;         // rows from each of them to the next, if there is one such number
};

// Returns the rows with a value if at least a tenth of all is without, in so many runs that there is one among 50 rows
// or fewer. All but one in a hundred steps of a stride have it.
//   values  [N] NaN where a cell is empty
OwnRows own_rows(std::span<const float> values);

}  // namespace beatscan
