// app/report/cohort_table.h — the recordings of a batch as tables: cohort.csv and cohort.parquet have one row for each,
// failures.csv one for each that failed.
#pragma once

#include <string>
#include <vector>

#include "app/output/tables/table.h"

namespace beatscan {

struct CohortRow;

// Returns one row a recording, with the columns of cohort_csv().
Table cohort_table(const std::vector<CohortRow>& rows);

// Returns the table as in RFC 4180, with empty cells where a value does not exist. Columns:
//   recording,folder,failure,duration_s,beats,beats_a_minute,anomalous,anomalous_share,analysable_share,warnings,
//   anomalous_in_good_signal,share_in_good_signal
// then those of finding_columns(), `drift`, `state`, those of wave_columns(), and those that come behind them. The two
// in good signal leave out what are in a column of their own. Warnings are parted by "; ". A text that a spreadsheet
// would take for a formula begins with an apostrophe.
std::string cohort_csv(const std::vector<CohortRow>& rows);

// Returns the rows that failed: input,name,status,message. Without failures it is the header alone.
std::string failures_csv(const std::vector<CohortRow>& rows);

}  // namespace beatscan
