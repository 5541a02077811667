// stages/episodes/signal_evidence.h — what a signal shows besides beats: flutter and fibrillation, noise, gaps, and
// long intervals in which nothing beats.
//
// An interval is silent if no lead shows a sign of a beat in it, and at least one lead would show it: from beat to beat
// its signal is good or flat, and no electrode is off. A sign of a beat is an envelope of silent_share times that of
// the beats around, unless it is that of a P wave that was left out. An interval that is not known, or touches flutter
// or fibrillation, is not silent. The stretches before the first beat and after the last one are judged alike.
//
// The certainty that a silent interval is a pause is 1. It is 0.5 if noise hides what another lead would show, or if in
// all leads that show nothing the signal differs from that between beats. It is 0.25 if all these leads look like an
// electrode that came off. A lead looks like that where its hum is above unrest_hum times that of the intervals around,
// or its drift above unrest_drift times, and above a share of the lead's usual range, see interval_unrest.h. The signal
// differs from that between beats above doubt_hum and doubt_drift, and below doubt_still times the hum around: the
// signal of skin is never as still as that of a plug that is out.
//
// A lead that looks like an electrode that came off by its hum is no good signal there, see mark_hum(). That holds for
// intervals in which it shows nothing, and for those above 4 s in which the hum itself looks like a beat.
#pragma once

#include <cstdint>
#include <span>

#include "stages/episodes/episode.h"
#include "stages/quality/signal_quality.h"

namespace beatscan {

struct BeatList;
struct EvidenceOptions;
template <class Context>
struct EnvelopeProfile;
template <class Context>
struct Recording;

// A recording with its beats.
template <class Context>
struct BeatsInSignal {
  const Recording<Context>& recording;
  const EnvelopeProfile<Context>& profile;  // of the detection
  const BeatList& beats;                    // as list_beats tells them
  double sample_rate_hz;
};

// The quality of the best lead in each block, and of each lead.
struct QualityOfLeads {
  const SignalQuality& best;
  const std::vector<SignalQuality>& of_leads;
};

struct SignsOfHeart {
  SignalEvidence evidence;                    // without noise and gaps
  std::vector<std::vector<Stretch>> humming;  // [L] where a lead is no good signal, for mark_hum()
};

// Finds flutter, fibrillation and silence.
template <class Context>
SignsOfHeart signs_of_heart(Context&, const BeatsInSignal<Context>& signal, const QualityOfLeads& quality,
                            const EvidenceOptions& options);

// Adds the episodes of noise and gaps. Blocks of hum are marked before.
//   bridge_s  longest gap that is bridged and is no episode
template <class Context>
void add_noise_and_gaps(Context&, const BeatsInSignal<Context>& signal, const QualityOfLeads& quality, double bridge_s,
                        const EvidenceOptions& options, SignalEvidence& evidence);

}  // namespace beatscan
