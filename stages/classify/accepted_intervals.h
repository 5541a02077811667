// stages/classify/accepted_intervals.h — RR intervals of K beats as the beat table uses them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/features/reference_intervals.h"
#include "kernels/runtime/buffer.h"

namespace beatscan {

inline constexpr double kShortestRrS = 0.15, kLongestRrS = 6;

// Returns the RR interval before each beat, in seconds, within kShortestRrS .. kLongestRrS. One that is not known is
// the median of those that are, 0.8 of none.
std::vector<double> known_rr_s(std::span<const double> r_peaks, std::span<const std::uint8_t> broken, double rate_hz);

// The reference RR interval around each beat, taken over accepted beats: those that are neither premature nor excluded,
// and do not follow one that is.
//
// Which beats are premature follows from the reference, and the reference from which beats are premature, so both are
// computed in three rounds. A mask excludes beats: wide beats and false detections, by the posteriors of a classifier,
// or none. Constants are those with which the prototype was fitted; the classifier that reads the columns learns how to
// weigh them.
//
//   near_i      0.6-quantile of the 15 intervals on either side
//   change_i    median over 30 beats on either side of min over j = 1, 2, 3 of |RR_i - RR_(i-j)| / near_i: small in
//               bigeminy and trigeminy, large in atrial fibrillation
//   reference   0.7-quantile of the 24 accepted intervals on either side
//   scatter     1.4826 median of |RR / reference - 1| of the 48 accepted intervals on either side
//   margin_i    1 - RR_i / reference_i + clip(RR_(i+1) / reference_i - 1, 0, 0.5) / 2
//               + 0.6 clip(1 - RR_i / RR_(i-1), -0.3, 0.2), where the last term is 0 after an excluded beat, and not
//               negative after a premature one
//   premature   1 - RR_i / reference_i > 0.08 and margin_i > max(0.28, 4 scatter_i)
// After excluded beats the time from the last beat that is not excluded must be short, too. A run of premature beats
// continues while intervals stay below 0.85 of the reference at its start and change little. A run of 60 beats and more
// that does not end suddenly is the dominant rhythm of its time.

// In the context's memory, [K] each, besides `premature`.
template <class Context>
struct AcceptedIntervals {
  AcceptedIntervals() = default;
  AcceptedIntervals(Context& context, std::int64_t beats);

  Buffer<double, Context> reference_s, scatter, change, margin;
  Buffer<std::uint8_t, Context> flags;  // features::BeatFlag
  std::vector<std::uint8_t> premature;  // on the host: 1 for a premature beat

  features::ReferenceLists lists() const { return {reference_s, scatter, change, margin, flags}; }
};

// Computes the reference. Both back ends give the same bits.
//   rr_s      [K] known_rr_s in the context's memory
//   on_host   [K] the same on the host
//   excluded  [K] the mask of excluded beats, on the host; empty: none is
//   found     made for K beats, on this context or on one that this context runs beside
template <class Context>
void find_accepted(Context&, std::span<const double> rr_s, std::span<const double> on_host,
                   std::span<const std::uint8_t> excluded, AcceptedIntervals<Context>& found);

// RR intervals, and the reference with no beat excluded.
template <class Context>
struct RrIntervals {
  RrIntervals() = default;
  RrIntervals(Context& context, std::int64_t beats) : rr_s(context, beats), accepted(context, beats) {}

  Buffer<double, Context> rr_s;  // [K] known_rr_s
  AcceptedIntervals<Context> accepted;
};

// Computes the intervals of K R peaks. All work on the context is done when it returns.
//   found  made for K beats, on this context or on one that this context runs beside
template <class Context>
void find_rr_intervals(Context&, std::span<const double> r_peaks, std::span<const std::uint8_t> broken, double rate_hz,
                       RrIntervals<Context>& found);

}  // namespace beatscan
