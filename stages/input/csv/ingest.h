// stages/input/csv/ingest.h — a column of a CSV file to samples in the context's memory, gaps bridged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stages/input/csv/csv_header.h"
#include "stages/recording/recording.h"

namespace beatscan {

struct IngestOptions {
  std::string column;                    // of CSV: see CsvOptions; of others a lead, by name or position (leads.h)
  std::string time_column;               // see CsvOptions
  std::string delimiter;                 // see CsvOptions
  std::optional<double> sample_rate_hz;  // what the user says it is; nothing: what the recording says
  std::int64_t chunk_bytes = 4 << 20;    // text that is read, copied and parsed at a time; a line has at most half
  OnBad on_bad = OnBad::error;
};

inline CsvOptions csv_options(const IngestOptions& options) {
  return {options.column, options.delimiter, options.time_column};
}

// What a CSV file's header says of its signal.
SignalInfo csv_signal(const CsvHeader& header);

// Values are float32, correctly rounded from the text. A missing value (empty, NaN, NA, null) is part of a gap. Throws
// ErrorKind::input naming the line of the first bad row, unless on_bad has them counted and named in a warning;
// ErrorKind::unanalysable where no sample has a value. Reading, and on Cuda copying, overlap with parsing; memory for
// text is a few chunks, not the file.
template <class Context>
Recording<Context> ingest(Context&, const InputFile& file, const IngestOptions& options,
                          const BytesReport& on_bytes = {});

}  // namespace beatscan
