#include "stages/methods/as_published.h"

#include <utility>

#include "stages/io/recording/recording.h"
#include "stages/reference/embed.h"
#include "stages/reference/filter.h"
#include "stages/reference/published_options.h"
#include "stages/score/score.h"
#include "stages/score/score_options.h"

namespace beatscan {

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
