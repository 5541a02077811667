// stages/input/csv/ingest.h — reads one column of a CSV file into the context's memory, and bridges its gaps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stages/input/csv/csv_header.h"
#include "stages/recording/recording.h"

namespace beatscan {

// Options of reading an input; WFDB records and EDF files use `column` and `sample_rate_hz` only.
struct IngestOptions {
  std::string column;                    // CSV: see CsvOptions; other formats: name or position of a lead (leads.h)
  std::string time_column;               // see CsvOptions
  std::string delimiter;                 // see CsvOptions
  std::optional<double> sample_rate_hz;  // the rate that the user gives; nothing to use that of the recording
  std::int64_t chunk_bytes = 4 << 20;    // text read, copied and parsed at a time; a line may be half as long
  OnBad on_bad = OnBad::error;
};

inline CsvOptions csv_options(const IngestOptions& options) {
  return {options.column, options.delimiter, options.time_column};
}

// Returns what a CSV file's header says about its signal.
SignalInfo csv_signal(const CsvHeader& header);

// Reads the column that the options choose.
//   values    float32, correctly rounded from the text
//   missing   an empty cell, NaN, NA and null are part of a gap
//   bad rows  are counted, and named in a warning, if options.on_bad is not OnBad::error
// Throws ErrorKind::input naming the line of the first bad row if options.on_bad is OnBad::error. Throws
// ErrorKind::unanalysable if no sample has a value. The file is read, and on Cuda copied, while earlier text is parsed.
// Memory is taken for a few chunks of text, not for the whole file.
template <class Context>
Recording<Context> ingest(Context&, const InputFile& file, const IngestOptions& options,
                          const BytesReport& on_bytes = {});

}  // namespace beatscan
