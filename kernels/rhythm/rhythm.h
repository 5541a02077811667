// kernels/rhythm/rhythm.h — running medians. Both back ends give the same bytes. A wrong shape throws
// ErrorKind::internal.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

inline constexpr int kMostMedianReach = 16;

// medians[i] = median of x[i - reach] .. x[i + reach]; the first and the last value are repeated beyond the ends.
//   x, medians  [M]
//   reach       0 .. kMostMedianReach
void running_medians(Cpu&, std::span<const double> x, int reach, std::span<double> medians);
void running_medians(Cuda&, std::span<const double> x, int reach, std::span<double> medians);

// The linear part of a multinomial regression over features of beats.
//
//   sums[i][s] = intercept[s] + sum_f weight[f][s] inputs[f][i], in float32 in the order of f, without fused products
//   inputs     [F][B] of B beats
//   weight     [F][16], intercept [16]
//   sums       [B][16]
// Another shape throws ErrorKind::internal. All processors compute the same bits.

inline constexpr int kMostStates = 16;               // of a model; fewer are filled up with zeros
using StateValues = std::array<float, kMostStates>;  // a value of each state

void state_sums(std::span<const float> inputs, std::span<const StateValues> weight, const StateValues& intercept,
                std::span<StateValues> sums);

// Compares the intervals around each beat with the usual ones there. The terms are defined in stages/windows/rhythm.h.
// A wrong shape throws ErrorKind::internal.

// Lists the intervals that are known, and counts for each beat how many of them lie before it.
//   r_peaks    [K] samples, ascending
//   known      [M] ascending: the interval from r_peaks[known[m]] to the next is known
//   intervals  [M] samples
//   before     [K]
void known_intervals(Cpu&, std::span<const double> r_peaks, std::span<const std::int64_t> known,
                     std::span<double> intervals, std::span<std::int64_t> before);
void known_intervals(Cuda&, std::span<const double> r_peaks, std::span<const std::int64_t> known,
                     std::span<double> intervals, std::span<std::int64_t> before);

struct BeatTimes {
  std::span<const double> r_peaks;        // [K] samples
  std::span<const std::uint8_t> broken;   // [K - 1] 1 if the interval to the next beat is not known
  std::span<const std::uint8_t> trusted;  // [K] 1 if the beat is trusted
  std::span<const double> local;          // [K][2] reference and median RR around the beat, in samples
};
struct BeatRhythm {
  std::span<float> prev_ratio, next_ratio;  // [K] RR before (after) over the reference; NaN if it is not known
  std::span<double> early, late;            // [K] -log(prev_ratio), log(next_ratio), before the ratios are rounded
  std::span<std::uint8_t> regular;          // [K] 1 if trusted and both RRs within median / tolerance .. * tolerance
};
void judge_rhythm(Cpu&, const BeatTimes& times, double tolerance, BeatRhythm rhythm);
void judge_rhythm(Cuda&, const BeatTimes& times, double tolerance, BeatRhythm rhythm);

// A term of x is weight * clip((x - middle) / scale, 0, cap), and 0 if x is not finite.
struct RhythmTerm {
  double middle, scale, cap, weight;
};
// score[i] = the term of early[i] + the term of late[i], each rounded to float
void rhythm_scores(Cpu&, std::span<const double> early, RhythmTerm early_term, std::span<const double> late,
                   RhythmTerm late_term, std::span<float> score);
void rhythm_scores(Cuda&, std::span<const double> early, RhythmTerm early_term, std::span<const double> late,
                   RhythmTerm late_term, std::span<float> score);

// A beat is after a pause if its RR interval is known, at least `least` samples long, and at least least_ratio times
// the reference.
struct PauseRule {
  double least, least_ratio;
  RhythmTerm term;
};
// score[i] = max(score[i], the term of -early[i]) for each beat after a pause
//   r_peaks  [K] samples
//   pauses   [K - 1] 0 where a long interval is no pause; empty: each may be one
//   early    [K] as judge_rhythm gives it
void raise_pause_scores(Cpu&, std::span<const double> r_peaks, std::span<const std::uint8_t> pauses,
                        std::span<const double> early, const PauseRule& rule, std::span<float> score);
void raise_pause_scores(Cuda&, std::span<const double> r_peaks, std::span<const std::uint8_t> pauses,
                        std::span<const double> early, const PauseRule& rule, std::span<float> score);

}  // namespace beatscan
