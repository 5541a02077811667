// stages/methods/as_published.h — the published method: filter, segments, rows of equal length, and the options of
// each.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "kernels/runtime/buffer.h"
#include "stages/common/duration.h"
#include "stages/methods/beats.h"
#include "stages/windows/embedded_beats.h"

namespace beatscan {

struct ScoreOptions;
template <class Context>
struct Recording;

enum class Precision { float32, float64 };

struct FilterOptions {
  Duration width = seconds(0.12);  // length of the wavelet: 30 samples at the published pipeline's 250 Hz
  bool centred = true;  // whether a peak of the response lies where the signal's does; makes the wavelet's length odd
  Precision precision = Precision::float32;  // both the transform and the response have it
};

struct SegmentOptions {
  // A peak is the largest value of a window of this length around it, so beats are at least half a window apart.
  Duration window = seconds(0.72);
};

struct EmbedOptions {
  Duration min_length = seconds(0.4);    // shorter candidates are dropped
  Duration max_length = seconds(1.024);  // longer candidates are dropped
  Duration row_span = seconds(1.024);    // time that a row covers: 256 points, 4 ms apart
  std::int64_t row_points = 256;         // D
};

// Returns the response [N] of a signal [N], see convolve_circular.h.
// Throws ErrorKind::unanalysable if the signal is shorter than the wavelet, and ErrorKind::usage if the wavelet is too
// long or `width` is in seconds and the sampling rate is not known.
template <class Real, class Context>
Buffer<Real, Context> ricker_response(Context&, std::span<const float> signal, const FilterOptions& options,
                                      std::optional<double> sample_rate_hz);

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

// The reference pipeline as a sequence of stages:
//
//   filter_as_published, segment_as_published   or in one go: find_as_published
//   embed_as_published                          rows from one beat's start to the next
//   train_vae, score_rows
//   score_as_published
//
// Each step is a function of its own, so that a caller can time it.

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
