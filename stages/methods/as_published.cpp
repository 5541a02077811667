#include "stages/methods/as_published.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "kernels/detect/beats.h"
#include "kernels/lists/bits.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/convolve.h"
#include "kernels/signal/convolve_circular.h"
#include "kernels/signal/peaks.h"
#include "stages/common/counted.h"
#include "stages/common/rows.h"
#include "stages/io/recording/recording.h"
#include "stages/score/score.h"
#include "stages/score/scores.h"

namespace beatscan {

// Cuts beats into rows of one length, from start to start, as the published pipeline does.
//
// A candidate reaches from its start to the next one. It is kept if its length is within the limits and it touches no
// missing samples. Row b is the signal from the start of beat b on, at `row_points` places evenly spread over
// `row_span`; the places beyond the beat's end are 0.

namespace {

// Makes the rows. Throws ErrorKind::unanalysable if no candidate is kept, and ErrorKind::usage if a duration is in
// seconds and the sampling rate is not known.
template <class Context>
Rows<Context> embed_beats(Context& context, const Recording<Context>& recording, const Beats<Context>& beats,
                          const EmbedOptions& options, std::optional<double> sample_rate_hz) {
  const std::int64_t candidates = beats.starts.size();
  const LengthLimits limits{whole_samples(options.min_length, sample_rate_hz),
                            whole_samples(options.max_length, sample_rate_hz)};
  const double step = in_samples(options.row_span, sample_rate_hz) / static_cast<double>(options.row_points);
  Rows<Context> rows{.outcomes = Buffer<Outcome, Context>(context, candidates), .points = options.row_points};
  Buffer<std::uint32_t, Context> words(context, words_for(candidates));
  classify_candidates(context, beats.starts, limits, recording.leads.front().gap_firsts,
                      recording.leads.front().gap_lasts, rows.outcomes, words);
  rows.kept = positions(context, words, Pick::every);
  rows.count = rows.kept.size();
  if (rows.count == 0)
    throw Error(ErrorKind::unanalysable,
                "no beats: none of " + counted(candidates, "candidate") + " is " + std::to_string(limits.min_samples) +
                    " to " + counted(limits.max_samples, "sample") + " long (is the sampling rate right?)");
  rows.values = Buffer<float, Context>(context, rows.count * rows.points);
  embed_rows(context, recording.leads.front().samples, beats.starts, rows.kept, step, rows.points, rows.values);
  return rows;
}

}  // namespace

template <class Real, class Context>
Buffer<Real, Context> ricker_response(Context& context, std::span<const float> signal, const FilterOptions& options,
                                      std::optional<double> sample_rate_hz) {
  auto width = std::max<std::int64_t>(whole_samples(options.width, sample_rate_hz), 1);
  if (options.centred) width |= 1;  // only a wavelet of odd length has a sample at its centre
  if (width > kMaxTaps)
    fail(ErrorKind::usage, "filter.width",
         std::to_string(width) + " samples are more than the " + std::to_string(kMaxTaps) + " supported");
  if (std::ssize(signal) < width)
    throw Error(ErrorKind::unanalysable, "too short: " + counted(std::ssize(signal), "sample") +
                                             ", and the wavelet alone has " + std::to_string(width));
  const auto wavelet = ricker_wavelet(static_cast<int>(width));
  return convolve_circular<Real>(context, signal, wavelet, options.centred ? static_cast<int>(width / 2) : 0);
}

#define BEATSCAN_RICKER_RESPONSE(Context)                                                                  \
  template Buffer<float, Context> ricker_response(Context&, std::span<const float>, const FilterOptions&,  \
                                                  std::optional<double>);                                  \
  template Buffer<double, Context> ricker_response(Context&, std::span<const float>, const FilterOptions&, \
                                                   std::optional<double>);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_RICKER_RESPONSE)

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

template <class Context>
FilterResponse<Context> filter_as_published(Context& context, std::span<const float> signal,
                                            const FilterOptions& options, std::optional<double> sample_rate_hz) {
  if (options.precision == Precision::float64) return ricker_response<double>(context, signal, options, sample_rate_hz);
  return ricker_response<float>(context, signal, options, sample_rate_hz);
}

template <class Context>
Beats<Context> segment_as_published(Context& context, const FilterResponse<Context>& response,
                                    const SegmentOptions& options, std::optional<double> sample_rate_hz) {
  return std::visit([&](const auto& values) { return find_beats(context, values.span(), options, sample_rate_hz); },
                    response);
}

template <class Context>
Beats<Context> find_as_published(Context& context, const Recording<Context>& recording, const FilterOptions& filter,
                                 const SegmentOptions& segment, std::optional<double> sample_rate_hz) {
  const auto response = filter_as_published(context, recording.leads.front().samples.span(), filter, sample_rate_hz);
  return segment_as_published(context, response, segment, sample_rate_hz);
}

template <class Context>
std::vector<double> peaks_of(Context& context, const Beats<Context>& beats) {
  std::vector<double> peaks;
  for (const std::int64_t start : to_host(context, beats.starts))
    peaks.push_back(static_cast<double>(start + beats.peak_offset));
  return peaks;
}

template <class Context>
EmbeddedBeats<Context> embed_as_published(Context& context, const Recording<Context>& recording,
                                          const Beats<Context>& beats, const EmbedOptions& options,
                                          std::optional<double> sample_rate_hz) {
  EmbeddedBeats<Context> embedded;
  embedded.rows = embed_beats(context, recording, beats, options, sample_rate_hz);
  return embedded;
}

ScoredBeats score_as_published(RowScores rows, const VaeTraining& training, double kl_weight,
                               const ScoreOptions& options) {
  BeatScores scores = score_beats(rows, training.split, kl_weight, options);
  return {std::move(rows), std::move(scores), std::nullopt};
}

#define BEATSCAN_AS_PUBLISHED_ON(Context)                                                                        \
  template FilterResponse<Context> filter_as_published(Context&, std::span<const float>, const FilterOptions&,   \
                                                       std::optional<double>);                                   \
  template Beats<Context> segment_as_published(Context&, const FilterResponse<Context>&, const SegmentOptions&,  \
                                               std::optional<double>);                                           \
  template Beats<Context> find_as_published(Context&, const Recording<Context>&, const FilterOptions&,           \
                                            const SegmentOptions&, std::optional<double>);                       \
  template std::vector<double> peaks_of(Context&, const Beats<Context>&);                                        \
  template EmbeddedBeats<Context> embed_as_published(Context&, const Recording<Context>&, const Beats<Context>&, \
                                                     const EmbedOptions&, std::optional<double>);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_AS_PUBLISHED_ON)

}  // namespace beatscan
