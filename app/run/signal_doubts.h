// app/run/signal_doubts.h — looks in the samples for what makes beats that are none: see SignalDoubts.
#pragma once

#include <span>
#include <vector>

#include "stages/quality/wraps.h"

namespace beatscan {

enum class Artefact : std::uint8_t;
struct BeatFacts;
struct Findings;
struct SignalDoubts;
struct SignalQuality;
template <class Context>
struct Recording;

// Returns where a converter wrapped round, [L].
//   quality  [L] of each lead
template <class Context>
std::vector<Wraps> wraps_of_leads(Context&, const Recording<Context>& recording,
                                  const std::vector<SignalQuality>& quality, double sample_rate_hz);

// Fills steps, bursts, bumps and repeats of the doubts. wraps_of_leads() gives their wraps, and kind_doubts.h those
// that need no signal.
//   artefacts  [B] what rows look like
template <class Context>
void add_signal_doubts(Context&, const Recording<Context>& recording, const BeatFacts& beats, const Findings& findings,
                       std::span<const Artefact> artefacts, double sample_rate_hz, SignalDoubts& doubts);

}  // namespace beatscan
