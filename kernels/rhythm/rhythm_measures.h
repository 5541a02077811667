// kernels/rhythm/rhythm_measures.h — the measures of single beats that rhythms are recognised by: of RR intervals, of
// posteriors of beat classes, and of P waves. scripts/rhythm/features.py is the reference and describes each of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

enum class BeatMeasure : std::uint8_t {
  // of RR intervals
  log_rr,
  ratio,
  departure,
  change1,
  change2,
  change3,
  least_change,
  premature,
  pause,
  twice,
  fast,
  slow,
  shortening,
  correlation1,
  correlation2,
  // of posteriors of beat classes
  s,
  v,
  x,
  s_pair,
  v_pair,
  v_run,
  s_run,
  v_fast,
  v_slow,
  bigeminy,
  trigeminy,
  // changes of RR intervals that premature beats or P waves do not or do explain
  change_normal,
  change_without_p,
  change_with_p,
  change_neither,
  // of P waves
  p_absent,
  p_present,
  pr_short,
  pr_long,
  pr_growth,
  pr_drop,
  pr_scatter,
  pause_p,
  pause_no_p,
  between_p,
  late_p,
  late_no_p,
  late_wide
};
inline constexpr std::array kBeatMeasureNames = {"log_rr",
                                                 "ratio",
                                                 "departure",
                                                 "change1",
                                                 "change2",
                                                 "change3",
                                                 "least_change",
                                                 "premature",
                                                 "pause",
                                                 "double",
                                                 "fast",
                                                 "slow",
                                                 "shortening",
                                                 "correlation1",
                                                 "correlation2",
                                                 "s",
                                                 "v",
                                                 "x",
                                                 "s_pair",
                                                 "v_pair",
                                                 "v_run",
                                                 "s_run",
                                                 "v_fast",
                                                 "v_slow",
                                                 "bigeminy",
                                                 "trigeminy",
                                                 "change_normal",
                                                 "change_without_p",
                                                 "change_with_p",
                                                 "change_neither",
                                                 "p_absent",
                                                 "p_present",
                                                 "pr_short",
                                                 "pr_long",
                                                 "pr_growth",
                                                 "pr_drop",
                                                 "pr_scatter",
                                                 "pause_p",
                                                 "pause_no_p",
                                                 "between_p",
                                                 "late_p",
                                                 "late_no_p",
                                                 "late_wide"};
inline constexpr std::size_t kBeatMeasures = kBeatMeasureNames.size();
static_assert(kBeatMeasures == static_cast<std::size_t>(BeatMeasure::late_wide) + 1);

// What the measures of K beats are made of: columns of the beat table, and posteriors. Where a list is empty, its
// values do not exist.
struct MeasureInputs {
  std::span<const float> rr_s;                                              // [K] finite
  std::span<const float> posteriors;                                        // [K][4] of N, S, V and X
  std::span<const float> p_evidence, pr_ms, non_conducted_p, qrs_ms_ratio;  // [K]
};

// Writes measures of each beat. One whose inputs do not exist is NaN.
//   rows      [kBeatMeasures] the row of each measure, or -1 of one that is not wanted
//   measures  [rows][K]
// A wrong shape throws ErrorKind::internal. Back ends differ in the last bits of logarithms and exponentials.
using MeasureRows = std::array<std::int16_t, kBeatMeasures>;
void beat_measures(Cpu&, const MeasureInputs& inputs, const MeasureRows& rows, std::span<float> measures);
void beat_measures(Cuda&, const MeasureInputs& inputs, const MeasureRows& rows, std::span<float> measures);

}  // namespace beatscan
