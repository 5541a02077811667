// app/report/cohort_table.h — the table of a batch: cohort.csv and cohort.parquet are made of it.
#pragma once

#include <vector>

#include "app/report/cohort_page.h"
#include "app/tables/table.h"

namespace beatscan {

// Returns one row a recording; cohort_page.h lists the columns.
Table cohort_table(const std::vector<CohortRow>& rows);

}  // namespace beatscan
