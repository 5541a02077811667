// stages/io/csv/csv_signal.h — what the first lines of a CSV file specify of its signals.
#pragma once

#include <string>

#include "stages/io/recording/signal_info.h"

namespace beatscan {

class InputFile;
struct CsvHeader;
struct CsvMetadata;

// Returns what the header and the lines before the table specify. The rate by the times follows later (TimeColumn).
SignalInfo csv_signal(const CsvHeader& header);

// Warns if a line before the table and the times specify different rates; that of the times is used.
void warn_of_two_rates(const CsvMetadata& metadata, SignalInfo& signal);

// Warns if the file ends within a number of a column that is read: without a line end, and with fewer decimals than
// the numbers of the first rows, which have all as many.
void warn_of_a_cut(const InputFile& file, const CsvHeader& header, SignalInfo& signal);

// Warns if the smallest value of a column is the one by which WFDB marks missing samples, and which a table of raw
// units repeats.
void warn_of_missing_mark(const std::string& column, float smallest, SignalInfo& signal);

}  // namespace beatscan
