// stages/methods/as_published.h — the reference pipeline as a sequence of stages:
//
//   filter_as_published, segment_as_published   or in one go: find_as_published
//   embed_as_published                          rows from one beat's start to the next
//   train_vae, score_rows
//   score_as_published
//
// Each step is a function of its own, so that a caller can time it.
#pragma once

#include <optional>
#include <variant>

#include "stages/methods/beats.h"
#include "stages/reference/segment.h"
#include "stages/windows/embedded_beats.h"

namespace beatscan {

struct EmbedOptions;
struct FilterOptions;
struct ScoreOptions;
struct SegmentOptions;
template <class Context>
struct Recording;

// The filter's response [N], in the precision of FilterOptions.
template <class Context>
using FilterResponse = std::variant<Buffer<float, Context>, Buffer<double, Context>>;

template <class Context>
FilterResponse<Context> filter_as_published(Context&, std::span<const float> signal, const FilterOptions& options,
                                            std::optional<double> sample_rate_hz);

template <class Context>
Beats<Context> segment_as_published(Context&, const FilterResponse<Context>& response, const SegmentOptions& options,
                                    std::optional<double> sample_rate_hz);

template <class Context>
Beats<Context> find_as_published(Context&, const Recording<Context>& recording, const FilterOptions& filter,
                                 const SegmentOptions& segment, std::optional<double> sample_rate_hz);

// Returns where the beats peak, in samples, on the host.
template <class Context>
std::vector<double> peaks_of(Context&, const Beats<Context>& beats);

template <class Context>
EmbeddedBeats<Context> embed_as_published(Context&, const Recording<Context>& recording, const Beats<Context>& beats,
                                          const EmbedOptions& options, std::optional<double> sample_rate_hz);

// Makes scores and decisions of the rows' errors (score_beats).
ScoredBeats score_as_published(RowScores rows, const VaeTraining& training, double kl_weight,
                               const ScoreOptions& options);

}  // namespace beatscan
