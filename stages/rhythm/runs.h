// stages/rhythm/runs.h — episodes that follow from the classes of beats in a row.
//
//   V2   exactly two V in a row
//   VT   three or more V in a row, at more than vt_rate_bpm; IVR: at that rate or less. A pause does not hide a VT: in
//        an IVR, three or more V are a VT if each comes at more than vt_rate_bpm, the longest of their intervals is
//        below part_ratio times the shortest, and the intervals beside them are part_ratio times the longest at least.
//        Three or more V before, between or after such VT are a run by themselves, labelled by their rate.
//   SVT  three or more S in a row, at more than svt_rate_bpm
//   B    least_cycles V or more with exactly one N between each two; T: with two N. It reaches from the beat before the
//        first V to the beat after the last
//
// Beats are in a row if the intervals between them are linked (intervals.h). The rate of n beats is n - 1 over their
// time. An episode's confidence is the mean probability of its beats' classes, or the share of its beats in good signal
// where probabilities are not known; its quality is that of the worst.
//
// Sources: 2017 AHA/ACC/HRS guideline on ventricular arrhythmias (Al-Khatib et al.): VT is three or more, faster than
// 100/min. The names are those of the rhythms of the MIT-BIH Arrhythmia Database.
#pragma once

#include <vector>

#include "stages/rhythm/episode.h"
#include "stages/rhythm/rhythm_results.h"

namespace beatscan {

struct BeatRunOptions;

// Finds V2, VT and IVR.
std::vector<Episode> ventricular_runs(const RhythmBeats& beats, const IntervalFlags& linked,
                                      const BeatRunOptions& options);

// Finds SVT.
std::vector<Episode> supraventricular_runs(const RhythmBeats& beats, const IntervalFlags& linked,
                                           const BeatRunOptions& options);

// Finds B and T.
std::vector<Episode> alternating_beats(const RhythmBeats& beats, const IntervalFlags& linked,
                                       const BeatRunOptions& options);

}  // namespace beatscan
