// kernels/waves/flat_windows.h — windows in which a lead shows no beat.
#pragma once

#include "kernels/waves/window.h"

namespace beatscan::waves {

// Sets the masks of a window to 0 if its height is the least one (kLeastHeight): the lead is flat or missing there, and
// the net would tell waves by the marks alone.
//   heights  [B] see local_averages.h
//   masks    [B][3][320]
void clear_flat_windows(Cpu&, std::span<const float> heights, std::span<float> masks);
void clear_flat_windows(Cuda&, std::span<const float> heights, std::span<float> masks);

}  // namespace beatscan::waves
