// app/pipeline/timed_beats.h — from a recording to its beat windows, with the configured method; each stage is timed.
#pragma once

#include <optional>

#include "app/output/run_result.h"
#include "stages/windows/embedded_beats.h"

namespace beatscan {

class StageTimer;
struct Config;
struct QualityIndex;
template <class Context>
struct Recording;

template <class Context>
struct TimedBeats {
  BeatFacts facts;  // on the host
  EmbeddedBeats<Context> embedded;
  SavedResponse response;  // empty without `save_response`
};

// The method r_peaks needs a rate; its noise is that of the signal-quality index. `save_response` copies the curve
// whose peaks are beats to the host.
template <class Context>
TimedBeats<Context> timed_beats(Context&, const Recording<Context>& recording, const QualityIndex& index,
                                const Config& config, std::optional<double> sample_rate_hz, bool save_response,
                                StageTimer& timer);

}  // namespace beatscan
