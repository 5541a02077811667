// kernels/waves/local_averages.h — local averages of windows: medians over neighbouring beats of the same template.
//
//   averages[i][k] = median of windows[j][k] over the j with |j - i| <= 8 and labels[j] == labels[i], then less the
//                    median over k
// The median of an even number of values is the mean of the middle two. A beat with fewer than 3 such neighbours,
// itself counted, or without a template (a negative label) has its own window as its average.
//   heights[i] = the greatest |averages[i][k]| in 105 <= k <= 145, at least 0.001 mV
#pragma once

#include "kernels/waves/window.h"

namespace beatscan::waves {

inline constexpr int kAverageReach = 8;        // beats on either side
inline constexpr int kLeastAlike = 3;          // beats of a local average
inline constexpr int kHeightReach = 20;        // values on either side of R
inline constexpr float kLeastHeight = 0.001f;  // mV

// Averages the windows skip .. skip + B - 1 of W. The others are neighbours: a range of beats is called with up to
// kAverageReach further windows on either side, and with as many as there are at the ends of the recording. Both back
// ends give the same bits for the same windows.
//   windows   [W][320] mV, less their medians (cut_windows)
//   labels    [W] the beats' templates; negative: none
//   averages  [B][320] mV
//   heights   [B] mV
void local_averages(Cpu&, std::span<const float> windows, std::span<const std::int32_t> labels, std::int64_t skip,
                    std::span<float> averages, std::span<float> heights);
void local_averages(Cuda&, std::span<const float> windows, std::span<const std::int32_t> labels, std::int64_t skip,
                    std::span<float> averages, std::span<float> heights);

}  // namespace beatscan::waves
