// stages/classify/pacing.h — detects templates of paced beats: a pacing spike precedes these at a constant distance.
//
// Impulses are searched for in two windows (impulses.h): from 330 to 140 ms before the R peak, where an atrium is
// paced, and from there to 15 ms after it. Anything within 60 ms of the previous R peak is part of that beat. A
// template is paced if in one lead
//   - half of its beats have an impulse within the 20 ms in which most lie, three at least
//   - those within 20 ms of the median place begin out of the noise floor: the median jump is 6 noise floors. On the R
//     peak, which may be the impulse itself, it is 8, the impulse is a jump from end to end, and a QRS complex follows
//     it or the jump is 12 noise floors.
//   - the templates that are paced have ten such impulses together, and four times as many in a second of the window as
//     there are in a second from 100 to 300 ms after the R peaks, or from 300 to 500 ms. Clicks lie anywhere.
// An impulse of the later window paces an atrium if it lies less than 45 ms before the R peak, or after it, and the
// steepest part after it, the QRS complex, follows 140 ms later or more. False detections are excluded. Below 200 Hz
// pacing is undetermined: a QRS complex may be as narrow as an impulse.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/detect/impulses.h"

namespace beatscan {

struct Findings;
struct GroupOptions;
template <class Context>
struct EmbeddedBeats;
template <class Context>
struct Recording;

// The impulses of one window in one lead; none if there are too few to judge.
struct LeadImpulses {
  std::vector<std::int64_t> beats;  // that have one, ascending
  std::vector<Impulse> impulses;    // of these beats
  std::int64_t elsewhere = 0;  // beats with one from 100 to 300 ms after the R peak, or 300 to 500, whichever is less
};
struct BeatImpulses {
  std::vector<LeadImpulses> early, late;  // [leads]; empty if they are not searched for
};

// Searches for impulses in the leads that rows were cut of.
//   r_peaks  [K]
template <class Context>
BeatImpulses beat_impulses(Context&, const Recording<Context>& recording, const EmbeddedBeats<Context>& embedded,
                           std::span<const double> r_peaks, double sample_rate_hz);

// Finds which templates are paced. Beats of those whose ventricles are paced become Q, because their shape is not the
// heart's own: beats with the impulse, and beats with eight such beats among the sixteen around them. The others get a
// template of their own. Beats after an atrial impulse keep their class.
void find_paced(const BeatImpulses& impulses, double sample_rate_hz, const GroupOptions& options, Findings& findings);

}  // namespace beatscan
