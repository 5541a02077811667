// stages/ingest.h — a column of a CSV file to samples in the context's memory, gaps bridged.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kernels/buffer.h"
#include "kernels/gaps.h"
#include "stages/csv_header.h"

namespace beatscan {

struct IngestOptions {
  std::string column;                    // see CsvOptions
  std::string delimiter;                 // see CsvOptions
  std::optional<double> sample_rate_hz;  // a CSV does not tell it
  std::int64_t chunk_bytes = 4 << 20;    // text that is read, copied and parsed at a time; a line has at most half
};

template <class Context>
struct Recording {
  Buffer<float, Context> samples;                       // [N] finite: gaps are bridged by straight lines (gaps.h)
  Buffer<std::int64_t, Context> gap_firsts, gap_lasts;  // [G] first and last missing sample of each gap
  std::int64_t missing = 0;                             // samples without a value
  ValueRange range{};                                   // of the samples, in the input's unit
  CsvHeader header;
  std::int64_t bytes = 0;  // of the file
};

using BytesReport = std::function<void(std::int64_t done, std::int64_t total)>;

// Values are float32, correctly rounded from the text. A missing value (empty, NaN, NA, null) is part of a gap. Throws
// Status::input naming the line of the first cell that is no number; Status::unanalysable where no sample has a value.
// Reading, and on Cuda copying, overlap with parsing; memory for text is a few chunks, not the file.
template <class Context>
Recording<Context> ingest(Context&, const InputFile& file, const IngestOptions& options,
                          const BytesReport& on_bytes = {});

}  // namespace beatscan
