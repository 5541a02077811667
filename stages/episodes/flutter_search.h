// stages/episodes/flutter_search.h — searches the leads of a recording for flutter and fibrillation (flutter.h).
#pragma once

#include <vector>

#include "stages/episodes/episode.h"

namespace beatscan {

struct FlutterOptions;
struct SignalQuality;
template <class Context>
struct EnvelopeProfile;
template <class Context>
struct Recording;

// Returns the episodes that the leads show together. Their beats and quality are left to the caller.
//   profile   of the detection
//   of_leads  [L] quality of each lead
//   leads     places of the leads that are asked
template <class Context>
std::vector<Episode> flutter_of(Context&, const Recording<Context>& recording, const EnvelopeProfile<Context>& profile,
                                const std::vector<SignalQuality>& of_leads, const std::vector<std::size_t>& leads,
                                double sample_rate_hz, const FlutterOptions& options);

}  // namespace beatscan
