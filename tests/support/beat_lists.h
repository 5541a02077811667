// tests/support/beat_lists.h — copies beats from the host to the memory of a context.
#pragma once

#include "stages/detect/beat_list.h"
#include "stages/quality/quality.h"
#include "stages/quality/signal_quality.h"

namespace beatscan {

template <class Context>
BeatBuffers<Context> from_host(Context& context, const BeatList& beats) {
  return {{from_host(context, beats.quality), from_host(context, beats.outcomes), from_host(context, beats.trusted),
           from_host(context, beats.broken)},
          from_host(context, beats.r_peaks)};
}

// Makes the quality of a lead whose flat segments are lead-off.
inline SignalQuality with_flat_off(SignalQuality quality, std::int64_t samples) {
  for (const auto& stretch : poor_stretches(quality, samples))
    if (stretch.kind == Quality::flat) quality.off.push_back({stretch.first, stretch.last});
  return quality;
}

}  // namespace beatscan
