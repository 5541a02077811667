// stages/episodes/runs.h — episodes that follow from the kinds of beats in a row.
//
//   V2   exactly two V in a row
//   VT   three or more V in a row, at more than vt_rate_bpm; IVR: at that rate or less. A pause does not hide a VT: in
//        an IVR, three or more V are a VT if each comes at more than vt_rate_bpm, the longest of their intervals is
//        below part_ratio times the shortest, and the intervals beside them are part_ratio times the longest at least.
//        Three or more V before, between or after such VT are a run by themselves, told by their rate.
//   SVT  three or more S in a row, at more than svt_rate_bpm
//   B    least_cycles V or more with exactly one N between each two; T: with two N. It reaches from the beat before the
//        first V to the beat after the last
//
// Beats are in a row if the intervals between them are linked (intervals.h). The rate of n beats is n - 1 over their
// time. An episode's confidence is the mean probability of its beats' classes, or the share of its beats in good signal
// where probabilities are not known; its quality is that of the worst.
//
// Beats that are conducted with a delay look like V, and in atrial fibrillation they are common. So the confidence of
// VT and IVR is halved in AFIB unless at least regular_beats come regularly: the median change from one interval to the
// next is below regular_change of the mean interval. A rate that rises slowly is regular, too.
//
// Sources: 2017 AHA/ACC/HRS guideline on ventricular arrhythmias (Al-Khatib et al.): VT is three or more, faster than
// 100/min. The names are those of the rhythms of the MIT-BIH Arrhythmia Database.
#pragma once

#include <span>
#include <vector>

#include "stages/episodes/episode.h"
#include "stages/episodes/rhythm_results.h"

namespace beatscan {

struct BeatRunOptions;

// Finds V2, VT and IVR.
std::vector<Episode> ventricular_runs(const RhythmBeats& beats, const IntervalFlags& linked,
                                      const BeatRunOptions& options);

// Says whether the beats of an episode come regularly. Fewer than regular_beats tell nothing, and do not.
//   r_peaks  [K] samples, ascending
bool has_regular_intervals(const Episode& episode, std::span<const double> r_peaks, const BeatRunOptions& options);

// Says whether an episode is VT or IVR in atrial fibrillation whose beats may be conducted with a delay.
//   af  where there is AFIB
bool may_be_aberrant(const Episode& episode, std::span<const double> r_peaks, const std::vector<TimeSpan>& af,
                     const BeatRunOptions& options);

// Finds SVT.
std::vector<Episode> supraventricular_runs(const RhythmBeats& beats, const IntervalFlags& linked,
                                           const BeatRunOptions& options);

// Finds B and T.
std::vector<Episode> alternating_beats(const RhythmBeats& beats, const IntervalFlags& linked,
                                       const BeatRunOptions& options);

}  // namespace beatscan
