// app/tables/table_csv.h — a table as CSV text (RFC 4180): a header, then one line a row.
#pragma once

#include <string>

#include "app/tables/table.h"

namespace beatscan {

// Numbers have their shortest form that reads back the same, and times six decimals.
std::string csv_text(const Table& table);

}  // namespace beatscan
