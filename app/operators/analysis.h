// app/operators/analysis.h — the program's stages on a tensor's memory, by the configuration's method.
#pragma once

#include <ATen/core/Tensor.h>

#include "app/config/config.h"

namespace beatscan::operators {

// The signal x as a recording, in the tensor's memory; a copy only where samples are missing (NaN), since these are
// bridged. Throws ErrorKind::usage for a tensor that is no signal (tensors.h), ErrorKind::unanalysable for one that is
// too short, flat or not finite.
template <class Context>
Recording<Context> recording_of(Context&, const at::Tensor& x);

// Checks that options fit each other and that the rate is known where sizes are in seconds (ErrorKind::usage).
void check_analysis(const Config& config);

// R peaks by either method, and what is known of the signal around them: nothing by the published one.
template <class Context>
struct FoundBeats {
  SignalQuality quality;
  BeatBuffers<Context> buffers;  // by the published method R peaks alone
  BeatList beats;                // the same on the host
};
template <class Context>
FoundBeats<Context> find_r_peaks(Context&, const Recording<Context>& recording, const Config& config);

// The same for R peaks that are known.
//   r_peaks  [K] samples, ascending, within the recording; stays where it is
//   blocks   of the signal's quality, as find_r_peaks gives them; empty: all is good
template <class Context>
FoundBeats<Context> known_r_peaks(Context&, const Recording<Context>& recording, std::span<const double> r_peaks,
                                  std::vector<Quality> blocks, const Config& config);

// Rows by either method; published rows alone.
template <class Context>
struct EmbeddedBeats {
  CentredBeats<Context> beats;
  RhythmBuffers<Context> rhythm;
};
template <class Context>
EmbeddedBeats<Context> embed(Context&, const Recording<Context>& recording, const FoundBeats<Context>& found,
                             const Config& config);

// Scores of rows by a model's parameters.
struct ScoredBeats {
  RowScores rows;
  BeatScores scores;
  std::optional<Ranking> ranking;
};
template <class Context>
ScoredBeats score(Context&, const EmbeddedBeats<Context>& embedded, const std::vector<NamedArray>& parameters,
                  const Config& config);

}  // namespace beatscan::operators
