// stages/classify/accepted_intervals.h — the reference RR interval around each beat, taken over accepted beats: those
// that are neither premature nor excluded, and do not follow one that is.
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
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

struct AcceptedIntervals {
  std::vector<double> reference_s;      // [K]
  std::vector<double> scatter;          // [K]
  std::vector<double> change;           // [K]
  std::vector<double> margin;           // [K]
  std::vector<std::uint8_t> premature;  // [K]
};

// Returns the margin that a premature beat exceeds.
inline double premature_margin(double scatter) { return std::max(0.28, 4 * scatter); }

// RR intervals, and the reference with no beat excluded.
struct RrIntervals {
  std::vector<double> rr_s;  // [K] known_rr_s
  AcceptedIntervals accepted;
};
RrIntervals rr_intervals(std::span<const double> r_peaks, std::span<const std::uint8_t> broken, double rate_hz);

// Computes the reference.
//   rr_s   [K] known_rr_s
//   aside  [K] the mask of excluded beats
AcceptedIntervals accepted_intervals(std::span<const double> rr_s, std::span<const std::uint8_t> aside);

}  // namespace beatscan
