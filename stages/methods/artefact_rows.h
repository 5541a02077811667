// stages/methods/artefact_rows.h — tells rows whose samples look like something else than a beat.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/findings/beat_class.h"

namespace beatscan {

struct BeatList;
struct FindingOptions;
template <class Context>
struct EmbeddedBeats;
template <class Context>
struct Recording;

// Tells what rows look like, [B]. It looks at those that may be V: the odd ones, or all in a short recording.
//   kept      [B] numbers of the rows' beats
//   waveform  [B] the waveform's score
template <class Context>
std::vector<Artefact> artefact_rows(Context&, const Recording<Context>& recording,
                                    const EmbeddedBeats<Context>& embedded, const BeatList& beats,
                                    const std::vector<std::int64_t>& kept, std::span<const float> waveform,
                                    const FindingOptions& options, double sample_rate_hz);

}  // namespace beatscan
