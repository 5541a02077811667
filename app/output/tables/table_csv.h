// app/output/tables/table_csv.h — a table as CSV text (RFC 4180): a header, then one line a row.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct Table;

// Numbers have their shortest form that reads back the same, and times six decimals.
std::string csv_text(const Table& table);

// Returns the same text in parts.
std::vector<std::string> csv_parts(const Table& table);

}  // namespace beatscan
