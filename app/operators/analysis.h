// app/operators/analysis.h — the program's stages on a tensor's memory, by the configuration's method.
#pragma once

#include <ATen/core/Tensor.h>

#include "app/config/config.h"
#include "stages/methods/around_r_peaks.h"

namespace beatscan::operators {

// Makes a recording of the signal x [N], or of leads by row [L, N], in the tensor's memory. A lead is copied only where
// samples are missing (NaN), since these are bridged. Of several leads, those without a value and flat ones are left
// out; a lead's name is then the number of its row. Throws ErrorKind::usage for a tensor that is no signal (tensors.h),
// and ErrorKind::unanalysable for one that is too short, flat or not finite.
template <class Context>
Recording<Context> recording_of(Context&, const at::Tensor& x);

// Checks that options fit each other, and that the rate is known where sizes are in seconds (ErrorKind::usage).
void check_analysis(const Config& config);

// Beats by either method. As published, only the R peaks are known.
template <class Context>
struct KnownBeats {
  BeatBuffers<Context> buffers;
  BeatList list;  // the same beats on the host
  SignalQuality quality;
};
template <class Context>
KnownBeats<Context> find_r_peaks(Context&, const Recording<Context>& recording, const Config& config);

// Judges R peaks that the caller knows.
//   r_peaks  [K] samples, ascending, within the recording; stays where it is
//   blocks   the quality of the signal's blocks, as find_r_peaks gives it; empty: all are good
template <class Context>
KnownBeats<Context> known_r_peaks(Context&, const Recording<Context>& recording, std::span<const double> r_peaks,
                                  std::vector<Quality> blocks, const Config& config);

// Embeds beats by either method.
template <class Context>
EmbeddedBeats<Context> embed(Context&, const Recording<Context>& recording, const KnownBeats<Context>& beats,
                             const Config& config);

// Scores rows by a model's parameters.
template <class Context>
ScoredBeats score(Context&, const EmbeddedBeats<Context>& embedded, const std::vector<NamedArray>& parameters,
                  const Config& config);

}  // namespace beatscan::operators
