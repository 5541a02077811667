// stages/quality/flat.h — distinguishes the flat line of a pause of the heart from that of a lead-off.
#pragma once

#include <vector>

#include "kernels/signal/signal_part.h"

namespace beatscan {

struct SignalQuality;

// Returns the flat stretches of one lead that are lead-off: those that are longer than `longest_pause` samples, and
// those that begin or end away from the baseline around them by more than the typical range. All others may be pauses
// between two beats. The baseline is the median of the middles of blocks that are not flat: of up to kBaselineBlocks on
// either side, without the nearest ones, which the stretch may reach into.
//   quality       of one lead, with extents
//   last_samples  samples of the last block
std::vector<Stretch> off_stretches(const SignalQuality& quality, std::int64_t last_samples, double longest_pause);

inline constexpr int kBaselineBlocks = 5;

}  // namespace beatscan
