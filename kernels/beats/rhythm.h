// kernels/beats/rhythm.h — beat by beat: the intervals around a beat, against what is usual there. Definition of the
// terms: stages/beats/rhythm.h.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

// Intervals that are known, and for each beat how many of them lie before it.
//   r_peaks    [K] samples, ascending
//   known      [M] ascending: the interval from r_peaks[known[m]] to the next is known
//   intervals  [M]
//   before     [K]
void known_intervals(Cpu&, std::span<const double> r_peaks, std::span<const std::int64_t> known,
                     std::span<double> intervals, std::span<std::int64_t> before);
void known_intervals(Cuda&, std::span<const double> r_peaks, std::span<const std::int64_t> known,
                     std::span<double> intervals, std::span<std::int64_t> before);

struct BeatTimes {
  std::span<const double> r_peaks;        // [K]
  std::span<const std::uint8_t> broken;   // [K - 1] 1: the interval to the next is not known
  std::span<const std::uint8_t> trusted;  // [K]
  std::span<const double> local;          // [K][2] reference and median RR around the beat
};
struct BeatRhythm {
  std::span<float> prev_ratio, next_ratio;  // [K] RR before (behind) over the reference; NaN where not known
  std::span<double> early, late;            // [K] -log(prev_ratio), log(next_ratio), before they are rounded
  std::span<std::uint8_t> regular;          // [K] trusted, both intervals within median / tolerance .. * tolerance
};
void judge_rhythm(Cpu&, const BeatTimes& times, double tolerance, BeatRhythm rhythm);
void judge_rhythm(Cuda&, const BeatTimes& times, double tolerance, BeatRhythm rhythm);

// weight clip((x - middle) / scale, 0, cap), 0 where x is not finite
struct RhythmTerm {
  double middle, scale, cap, weight;
};
// score[i] = early's term + late's, each rounded to float.
void rhythm_scores(Cpu&, std::span<const double> early, RhythmTerm early_term, std::span<const double> late,
                   RhythmTerm late_term, std::span<float> score);
void rhythm_scores(Cuda&, std::span<const double> early, RhythmTerm early_term, std::span<const double> late,
                   RhythmTerm late_term, std::span<float> score);

}  // namespace beatscan
