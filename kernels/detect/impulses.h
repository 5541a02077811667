// kernels/detect/impulses.h — the steepest narrow deflection in a window near each beat of a lead: pacing spikes
// look like that, and few waves of the heart do.
//
// Let t be a sample of the window, high and low the extremes of x from `before` samples before t up to t, and
//   range  the range of x within `around` samples of the R peak
//   rest   the noise floor: high - low, and at least least_rest of the range, and the smallest step of x within
//          `around`. A line at an end of the range is no noise floor: the end of a converter's range looks like that.
//   jump   how far x[t + lag] lies above high, or below low. Let x point to that side from here on, and base be that
//          extreme.
//   apex   the largest x within `top` samples from t on, of equal ones the first; its height is over base
// It is a deflection if all of these conditions hold:
//   the jump is of_rest rests, of_range of the range and `rise` of the height at least: it begins at once, out of the
//   noise floor
//   within `fall` samples after the apex x falls by `falls` of the height at least
//   within `over` samples after the apex x lies below base by (overshoot - 1) heights at most
// The deflection with the largest jump counts, and of equal ones the first. Then `next` is where x changes most within
// `change` samples, from `behind` to `reach` samples after the apex.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

struct ImpulseRule {
  std::int64_t from, to;  // the window: samples from the R peak, `to` excluded
  std::int64_t before, lag, top, fall, over, around, behind, reach, change;  // samples, 1 or more; lag <= top and
                                                                             // behind < reach
  double least_rest, of_rest, of_range, rise, falls, overshoot;
};

struct Impulse {
  float place;        // samples from the R peak to the apex; NaN if there is no deflection
  float over_rest;    // jump over rest
  float rise;         // jump over height
  float next;         // samples from the apex to the middle of the largest change after it
  float next_change;  // that change over the height
};

// Searches at K beats in one lead. A beat that is too near an end of the recording has no deflection.
//   samples   [N]
//   r_peaks   [K] samples
//   marked    [K] 1 for a beat with a deflection
//   impulses  [K]
// A wrong shape or rule throws ErrorKind::internal.
void mark_impulses(Cpu&, std::span<const float> samples, std::span<const double> r_peaks, const ImpulseRule& rule,
                   std::span<std::uint8_t> marked);
void mark_impulses(Cuda&, std::span<const float> samples, std::span<const double> r_peaks, const ImpulseRule& rule,
                   std::span<std::uint8_t> marked);
void find_impulses(Cpu&, std::span<const float> samples, std::span<const double> r_peaks, const ImpulseRule& rule,
                   std::span<Impulse> impulses);
void find_impulses(Cuda&, std::span<const float> samples, std::span<const double> r_peaks, const ImpulseRule& rule,
                   std::span<Impulse> impulses);

}  // namespace beatscan
