#include "stages/reference/segment.h"

#include <algorithm>
#include <string>

#include "kernels/runtime/error.h"
#include "kernels/signal/peaks.h"
#include "stages/common/counted.h"
#include "stages/reference/published_options.h"

namespace beatscan {

template <class Real, class Context>
Beats<Context> find_beats(Context& context, std::span<const Real> response, const SegmentOptions& options,
                          std::optional<double> sample_rate_hz) {
  const auto window = std::max<std::int64_t>(whole_samples(options.window, sample_rate_hz), 1);
  if (window > kMaxPeakWindow)
    fail(ErrorKind::usage, "segment.window",
         std::to_string(window) + " samples are more than the " + std::to_string(kMaxPeakWindow) + " supported");
  const std::int64_t positions_count = window_positions(std::ssize(response), static_cast<int>(window));
  if (positions_count == 0)
    throw Error(ErrorKind::unanalysable, "too short: " + counted(std::ssize(response), "sample") +
                                             ", and the window for one beat alone has " + std::to_string(window));
  Buffer<std::uint32_t, Context> words(context, words_for(positions_count));
  mark_window_peaks(context, response, static_cast<int>(window), words.span());
  Beats<Context> beats{positions(context, words, Pick::run_firsts), window / 2};
  if (beats.starts.size() < 2)
    throw Error(ErrorKind::unanalysable, "no beats: the filtered signal has " + std::to_string(beats.starts.size()) +
                                             " peaks, and two are needed to make a beat");
  return beats;
}

#define BEATSCAN_FIND_BEATS(Context)                                                                                  \
  template Beats<Context> find_beats(Context&, std::span<const float>, const SegmentOptions&, std::optional<double>); \
  template Beats<Context> find_beats(Context&, std::span<const double>, const SegmentOptions&, std::optional<double>);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_FIND_BEATS)

}  // namespace beatscan
