// stages/published/segment.h — where the beats are: peaks of the filter's response.
#pragma once

#include <optional>

#include "kernels/runtime/buffer.h"
#include "stages/common/duration.h"

namespace beatscan {

struct SegmentOptions {
  Duration window =
      seconds(0.72);  // a peak is the largest value of a window around it, so beats are half a window apart
};

template <class Context>
struct Beats {
  Buffer<std::int64_t, Context> starts;  // [S] ascending: first sample of the window whose middle is the peak
  std::int64_t peak_offset = 0;          // sample of the peak = start + peak_offset (half a window)
};

// Throws ErrorKind::unanalysable where the response is shorter than the window or nowhere peaks twice.
template <class Real, class Context>
Beats<Context> find_beats(Context&, std::span<const Real> response, const SegmentOptions& options,
                          std::optional<double> sample_rate_hz);

}  // namespace beatscan
