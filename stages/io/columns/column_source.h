// stages/io/columns/column_source.h — recordings in Parquet files and in Arrow files (Feather), one column a lead.
#pragma once

#include <memory>
#include <optional>

#include "stages/io/columns/arrow_library.h"
#include "stages/io/recording/sample_source.h"

namespace beatscan {

class InputFile;
struct IngestOptions;

// Returns the format by the first bytes, Parquet or Arrow; nothing for any other file.
std::optional<ColumnFormat> column_format(const InputFile& file);

// Whether the times of the rows are read; they determine the rate and the missing rows.
enum class RowTimes { read, leave };

// Gives the leads of a file of columns. Leads and the column with the times are chosen as in CSV (csv_header.h); a
// column of dates or durations holds times whatever its name. A unit is part of a column's metadata or of its name; the
// sampling rate may be part of the file's metadata. An empty cell, null and NaN are missing samples. Throws
// ErrorKind::input in these cases:
//   - Apache Arrow is missing, or cannot read the file
//   - there is no such column, or none that may be a signal; a time goes back
//   - a value is infinite or beyond float32's range; the message names the column and the row, counted from 0
SampleSource column_source(const std::shared_ptr<const InputFile>& file, ColumnFormat format,
                           const IngestOptions& options, RowTimes times);

}  // namespace beatscan
