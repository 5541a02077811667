// stages/input/csv/csv_choice.h — chooses the columns of a CSV file that are read, and the one with the times.
#pragma once

#include <string>
#include <vector>

#include "stages/input/csv/csv_header.h"

namespace beatscan {

// The cells of the first rows of data, with decimal points. Values help to tell a signal from an index.
using FirstRows = std::vector<std::vector<std::string>>;

// Fills in leads, layout.column and time_column of a header whose columns are known. Warns where a column is chosen by
// its place alone. Throws ErrorKind::input as read_csv_header does.
void choose_columns(const std::string& path, const FirstRows& rows, const CsvOptions& options, CsvHeader& header);

}  // namespace beatscan
