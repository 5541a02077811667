// kernels/waves/local_averages.h — local averages of windows: medians over neighbouring beats of the same template.
//
//   averages[i][k] = median of windows[j][k] over the j with |j - i| <= 8 and labels[j] == labels[i], then less the
//                    median over k
// The median of an even number of values is the mean of the middle two. A beat with fewer than 3 such neighbours,
// itself counted, or without a template (a negative label) has its own window as its average.
//   heights[i] = the greatest |averages[i][k]| in 105 <= k <= 145, at least kMinHeight
#pragma once

#include "kernels/waves/window.h"

namespace beatscan::waves {

inline constexpr int kAverageReach = 8;  // beats on either side
inline constexpr int kNeighbours = 2 * kAverageReach + 1;
inline constexpr int kMinAverageBeats = 3;
inline constexpr int kHeightReach = 20;  // values on either side of R

// Averages the windows skip .. skip + B - 1 of W. The others are neighbours: a range of beats is called with up to
// kAverageReach further windows on either side, and with as many as there are at the ends of the recording. Both back
// ends give the same bits for the same windows.
//   windows   [W][320] mV, minus their medians (cut_windows)
//   labels    [W] the beats' templates; negative: none
//   averages  [B][320] mV
//   heights   [B] mV
void local_averages(Cpu&, std::span<const float> windows, std::span<const std::int32_t> labels, std::int64_t skip,
                    std::span<float> averages, std::span<float> heights);
void local_averages(Cuda&, std::span<const float> windows, std::span<const std::int32_t> labels, std::int64_t skip,
                    std::span<float> averages, std::span<float> heights);

// How a beat's neighbours enter the network. Places without a neighbour hold -inf and inf, so many of each that the
// median of the others comes to the middle: at 8 for an odd number of neighbours, at 7 and 8 for an even one.
struct Neighbours {
  unsigned members;  // bit j: beat i + j - 8 is a neighbour of beat i
  int count;

  BEATSCAN_HOST_DEVICE bool enough() const { return count >= kMinAverageBeats; }
  BEATSCAN_HOST_DEVICE bool even() const { return count % 2 == 0; }
  BEATSCAN_HOST_DEVICE int places_below() const { return (kNeighbours - count) / 2; }
};

// Makes the checks that both back ends of local_averages share, and returns how many windows there are.
std::int64_t check_local_averages(std::int64_t windows, std::int64_t labels, std::int64_t skip, std::int64_t averages,
                                  std::int64_t heights);

}  // namespace beatscan::waves
