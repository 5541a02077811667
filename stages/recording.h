// stages/recording.h — a recording in the context's memory.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/buffer.h"
#include "kernels/gaps.h"
#include "stages/csv_header.h"

namespace beatscan {

template <class Context>
struct Recording {
  Buffer<float, Context> samples;                       // [N] finite: gaps are bridged by straight lines (gaps.h)
  Buffer<std::int64_t, Context> gap_firsts, gap_lasts;  // [G] first and last missing sample of each gap
  std::int64_t missing = 0;                             // samples without a value
  ValueRange range{};                                   // of the samples, in the input's unit
  CsvHeader header;
  std::int64_t bytes = 0;  // of the file
};

// The rest of every way to make a recording: samples may be NaN (missing, counted) before, and are bridged behind.
// Status::unanalysable where no sample has a value; `path` is for that message.
template <class Context>
void bridge_and_measure(Context&, Recording<Context>& recording, const std::string& path);

}  // namespace beatscan
