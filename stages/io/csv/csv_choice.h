// stages/io/csv/csv_choice.h — chooses the columns of a CSV file that are read, and the one with the times.
#pragma once

#include <string>

#include "stages/io/csv/first_rows.h"

namespace beatscan {

struct CsvHeader;
struct CsvOptions;

// Fills in leads, layout.column and time_column of a header whose columns are known. Warns if a column is chosen by its
// position alone, and if one that is named like a lead counts rows. Throws ErrorKind::input as read_csv_header does,
// and for a table with a row for each time and lead.
void choose_columns(const std::string& path, const FirstRows& rows, const CsvOptions& options, CsvHeader& header);

}  // namespace beatscan
