// kernels/rhythm/early_beats.h — tells beats that come early from the RR intervals of accepted beats around them. The
// rule is defined in stages/findings/early.h.
//
// K beats. The RR interval of beat i ends at beat i. It is NaN where it is not known. A wrong shape throws
// ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

// rr[i] = r_peaks[i] - r_peaks[i - 1], NaN for the first beat and where broken[i - 1]
//   r_peaks, rr  [K] samples
//   broken       [K - 1]
void rr_intervals(Cpu&, std::span<const double> r_peaks, std::span<const std::uint8_t> broken, std::span<double> rr);
void rr_intervals(Cuda&, std::span<const double> r_peaks, std::span<const std::uint8_t> broken, std::span<double> rr);

// firsts[i] = pairs[i][0]
//   pairs   [K][2]
//   firsts  [K]
void first_of_pairs(Cpu&, std::span<const double> pairs, std::span<double> firsts);
void first_of_pairs(Cuda&, std::span<const double> pairs, std::span<double> firsts);

// before[i] = number of places below i
//   places  [M] ascending
//   before  [K]
void places_before(Cpu&, std::span<const std::int64_t> places, std::span<std::int64_t> before);
void places_before(Cuda&, std::span<const std::int64_t> places, std::span<std::int64_t> before);

// changes[i] = least |rr[i] - rr[i - j]| / local[i][0] for j = 1, 2, 3; known[i] = 0 if none of them is known
//   local           [K][2] of which the first is the usual interval around the beat
//   changes, known  [K]
void rr_changes(Cpu&, std::span<const double> rr, std::span<const double> local, std::span<double> changes,
                std::span<std::uint8_t> known);
void rr_changes(Cuda&, std::span<const double> rr, std::span<const double> local, std::span<double> changes,
                std::span<std::uint8_t> known);

struct FirstEarlyRule {
  double local, recording, change;  // see EarlyOptions
};
// early[i] = 1 if rr[i] / local[i][0] is below rule.local, or prev_ratio[i] below rule.recording, and the same ratio
// also below 1 - rule.change * changes[i][0]
//   prev_ratio          [K] RR interval / that usual in a longer part of the recording, NaN where it is not known
//   local, changes      [K][2]
void first_early(Cpu&, std::span<const double> rr, std::span<const double> local, std::span<const double> changes,
                 std::span<const float> prev_ratio, FirstEarlyRule rule, std::span<std::uint8_t> early);
void first_early(Cuda&, std::span<const double> rr, std::span<const double> local, std::span<const double> changes,
                 std::span<const float> prev_ratio, FirstEarlyRule rule, std::span<std::uint8_t> early);

// accepted[i] = 1 if rr[i] is known and neither this beat nor the one before it is early or set aside
//   aside, early, accepted  [K]; `early` may be empty for none
void accept_intervals(Cpu&, std::span<const double> rr, std::span<const std::uint8_t> aside,
                      std::span<const std::uint8_t> early, std::span<std::uint8_t> accepted);
void accept_intervals(Cuda&, std::span<const double> rr, std::span<const std::uint8_t> aside,
                      std::span<const std::uint8_t> early, std::span<std::uint8_t> accepted);

// deviations[m] = |rr[i] / reference[i][0] - 1| where i = places[m]
//   reference           [K][2]
//   places, deviations  [M]
void rr_deviations(Cpu&, std::span<const double> rr, std::span<const double> reference,
                   std::span<const std::int64_t> places, std::span<double> deviations);
void rr_deviations(Cuda&, std::span<const double> rr, std::span<const double> reference,
                   std::span<const std::int64_t> places, std::span<double> deviations);

struct EarlyRule {
  double least_early, late_weight, abrupt_weight, least_sum, scatter;  // see EarlyOptions
};
struct EarlyFacts {
  std::span<const double> rr;           // [K]
  std::span<const double> reference;    // [K][2] of which the first counts, and so below
  std::span<const double> deviation;    // [K][2] median of the deviations around the beat
  std::span<const std::uint8_t> aside;  // [K] neither N nor S
  std::span<const std::uint8_t> early;  // [K] of the round before
};
// Judges each beat. A beat that is set aside is never early.
//   early  [K] of this round
void judge_early(Cpu&, const EarlyFacts& facts, EarlyRule rule, std::span<std::uint8_t> early);
void judge_early(Cuda&, const EarlyFacts& facts, EarlyRule rule, std::span<std::uint8_t> early);

}  // namespace beatscan
