// stages/rhythm/signal_evidence.h — noise and gaps as episodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/signal/signal_part.h"
#include "stages/quality/signal_quality.h"
#include "stages/rhythm/episode.h"

namespace beatscan {

struct BeatList;
struct QualityIndex;
template <class Context>
struct EnvelopeProfile;
template <class Context>
struct Recording;

// Returns the stretches of noisy or clipped signal: neighbours with at most `join` samples between them are one, and
// those of fewer than `least` samples are left out. Blocks that touch one of `others` do not count.
//   best     in each block the quality of the best lead
//   samples  of the recording
std::vector<Episode> noise_episodes(const SignalQuality& best, std::int64_t samples, std::span<const Episode> others,
                                    double join, double least);

// Joins two ascending lists of stretches into one that is ascending and disjoint.
std::vector<Stretch> joined_stretches(const std::vector<Stretch>& a, const std::vector<Stretch>& b);

// What a signal shows besides beats: flutter and fibrillation, noise, gaps, and long intervals in which nothing beats.
//
// An interval is silent if no lead shows a sign of a beat in it, and at least one lead would show it: from beat to beat
// it is not clipped, its samples are not missing, and there is no lead-off. A sign of a beat is an envelope of
// silent_share times that of the beats around, unless it is that of a P wave that was left out. An interval that is not
// known, or touches flutter or fibrillation, is not silent. The stretches before the first beat and after the last one
// are judged alike.
//
// The certainty that a silent interval is a pause is 1. It is 0.5 if noise hides what another lead would show, or if in
// all leads that show nothing the signal differs from that between beats. It is 0.25 if all these leads look like an
// electrode that came off. A lead looks like that where its mains is above noise_mains times that of the intervals
// around, or its drift above noise_drift times, and above a share of the lead's usual range, see quiet_intervals.h. The
// signal differs from that between beats above uncertain_mains and uncertain_drift, and below uncertain_still times the
// mains around: the signal of skin is never as still as that of a plug that is out.

// A recording with its beats.
template <class Context>
struct BeatsInSignal {
  const Recording<Context>& recording;
  const EnvelopeProfile<Context>& profile;  // of the detection
  const BeatList& beats;                    // from list_beats
  double sample_rate_hz;
};

// The quality of the best lead in each block, of each lead, and the index that finds fibrillation.
struct QualityOfLeads {
  SignalQuality& best;
  std::vector<SignalQuality>& of_leads;
  const QualityIndex& index;
};

// Finds flutter, fibrillation, silence, noise and gaps. Noisy blocks in a certain pause become good.
//   bridge_s  longest gap that is bridged and is no episode
template <class Context>
SignalEvidence signal_evidence(Context&, const BeatsInSignal<Context>& signal, const QualityOfLeads& quality,
                               double bridge_s, const EvidenceOptions& options);

}  // namespace beatscan
