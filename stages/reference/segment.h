// stages/reference/segment.h — finds beats as the published pipeline does: they are peaks of the filter's response.
#pragma once

#include <optional>

#include "kernels/runtime/buffer.h"

namespace beatscan {

struct SegmentOptions;

template <class Context>
struct Beats {
  Buffer<std::int64_t, Context> starts;  // [S] ascending: first sample of the window whose middle is the peak
  std::int64_t peak_offset = 0;          // sample of the peak = start + peak_offset, which is half a window
};

// Finds the beats. Throws ErrorKind::unanalysable if the response is shorter than the window or has fewer than two
// peaks. Throws ErrorKind::usage if the window is too long, or if it is in seconds and the sampling rate is not known.
template <class Real, class Context>
Beats<Context> find_beats(Context&, std::span<const Real> response, const SegmentOptions& options,
                          std::optional<double> sample_rate_hz);

}  // namespace beatscan
