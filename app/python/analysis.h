// app/python/analysis.h — the program's stages on a caller's arrays, with the configured method.
#pragma once

#include "app/config/config.h"
#include "app/python/arrays.h"
#include "stages/detect/beat_list.h"
#include "stages/io/recording/recording.h"
#include "stages/methods/beats.h"
#include "stages/model/vae_output.h"
#include "stages/quality/signal_quality.h"
#include "stages/waves/waves.h"
#include "stages/windows/embedded_beats.h"

namespace beatscan::operators {

// Throws ErrorKind::usage unless options fit each other, the rate is known if sizes are in seconds, and the method
// supports the number of leads of x.
void check_analysis(const Config& config, const Array& x);

// Throws ErrorKind::usage unless waves can be delineated with the method and at the sampling rate.
void check_delineation(const Config& config);

// Beats by either method. The method published has R peaks only.
template <class Context>
struct KnownBeats {
  BeatBuffers<Context> buffers;
  BeatList list;                     // the same beats on the host
  std::vector<SignalQuality> leads;  // of each lead of the recording
};
template <class Context>
KnownBeats<Context> find_r_peaks(Context&, const Recording<Context>& recording, const Config& config);

// Assesses R peaks given by the caller.
//   r_peaks  [K] samples, ascending, within the recording; not moved
//   blocks   the quality of the blocks of each lead of the recording, as find_r_peaks returns it; empty: all are good
template <class Context>
KnownBeats<Context> known_r_peaks(Context&, const Recording<Context>& recording, std::span<const double> r_peaks,
                                  std::vector<std::vector<Quality>> blocks, const Config& config);

// Embeds beats by either method.
template <class Context>
EmbeddedBeats<Context> embed(Context&, const Recording<Context>& recording, const KnownBeats<Context>& beats,
                             const Config& config);

// Scores the rows of beats by a model's parameters.
template <class Context>
ScoredBeats score(Context&, const Recording<Context>& recording, const BeatList& beats,
                  const EmbeddedBeats<Context>& embedded, const std::vector<NamedArray>& parameters,
                  const Config& config);

// Delineates the P, QRS and T waves of beats of method r_peaks as a run does, but without the detection of ventricular
// fibrillation. Beats in signal that is not good have no waves. check_delineation passes `config`.
template <class Context>
BeatWaves delineated(Context&, const Recording<Context>& recording, const KnownBeats<Context>& beats,
                     const Config& config);

}  // namespace beatscan::operators
