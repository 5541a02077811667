// stages/rhythm/runs.h — episodes that follow from definitions over beats and intervals.
#pragma once

#include <vector>

#include "stages/rhythm/episode.h"

namespace beatscan {

// Episodes that follow from the classes of beats in a row.
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

// Finds V2, VT and IVR.
std::vector<Episode> ventricular_runs(const RhythmBeats& beats, const IntervalFlags& linked,
                                      const BeatRunOptions& options);

// Finds SVT.
std::vector<Episode> supraventricular_runs(const RhythmBeats& beats, const IntervalFlags& linked,
                                           const BeatRunOptions& options);

// Finds B and T.
std::vector<Episode> alternating_beats(const RhythmBeats& beats, const IntervalFlags& linked,
                                       const BeatRunOptions& options);

// Long RR intervals (PAUSE), and those without any beat for so long that the heart stands still (ASYS).
//
// A long interval counts if the signal is silent there (SignalEvidence). Without a signal it counts if it is known.
// There is no PAUSE and no ASYS in VF and VFL. An interval that is long enough for ASYS is a PAUSE, too. The confidence
// is the share of its two beats in good signal, times how certain the signal makes it; the quality is that of the worse
// beat, and noisy at least where the signal looks like an electrode that came off.
//
// A silent stretch before the first beat or after the last one may be ASYS, too. It has one beat, and is no PAUSE.
// Sources: pauses of 3 s and more matter by the 2018 ACC/AHA/HRS guideline on bradycardia (Kusumoto et al.); 2 s is
// what Holter systems list. Asystole is no QRS complex for 4 s in the PhysioNet/CinC Challenge 2015.

// Finds PAUSE and ASYS.
//   evidence  null: there is no signal
//   samples   of the recording
std::vector<Episode> pauses(const RhythmBeats& beats, const IntervalFlags& hidden, const SignalEvidence* evidence,
                            const PauseOptions& options, double samples);

// Slow and fast sinus rhythm (SBR, STACH).
//
//   x       the intervals between two N in good signal that are linked (intervals.h) and lie in no AFIB
//   rate_i  60 over the median of x_(i - reach) .. x_(i + reach), repeated beyond the ends
//   mean_i  60 over the mean of the reach + 1 intervals before x_i, or of those after it
//   SBR     rate_i and a mean_i < slow_bpm     STACH   rate_i and a mean_i > fast_bpm
// The median alone would be a rate that the heart does not have if short and long intervals alternate.
// An episode is a run of such intervals that lasts least_s, or half the recording if that is shorter. It goes on over
// at most join_s of intervals that are not in x. With fewer than fewest_intervals there is no episode. The confidence
// of an episode is the share of its intervals that are in x. Source: 2018 ACC/AHA/HRS guideline on bradycardia
// (Kusumoto et al.): below 50/min. Tachycardia is above 100/min.

// Finds SBR and STACH.
//   in_af  [K - 1] intervals that lie in atrial fibrillation
template <class Context>
std::vector<Episode> slow_and_fast(Context&, const RhythmBeats& beats, const IntervalFlags& linked,
                                   const IntervalFlags& hidden, const IntervalFlags& in_af, double samples,
                                   const RateOptions& options);

}  // namespace beatscan
