// stages/findings/pacing.h — tells templates whose beats are paced: an impulse of a pacemaker stands at one place
// before them.
//
// An impulse is looked for in two windows (impulses.h): from 330 to 140 ms before the R peak, where an atrium is paced,
// and from there to 15 ms behind it. A template is paced if in one lead
//   - half of its beats have an impulse within the 20 ms in which most lie, three at least
//   - these begin out of rest: the median jump is 6 rests. On the R peak, which may be the impulse itself, it is 8, the
//     impulse is a jump from end to end, and a QRS complex follows it or it is 12 rests.
// The templates that are paced in a window have ten such impulses together, or none is paced. Beats of kind Q are left
// out: they are noise. Below 200 Hz nothing is told: a QRS complex may be as narrow as an impulse.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/detection/impulses.h"
#include "stages/findings/findings.h"
#include "stages/recording/recording.h"

namespace beatscan {

// The impulses near K beats, [leads][K]; empty where they are not looked for.
struct BeatImpulses {
  std::vector<std::vector<Impulse>> early, late;
};

// Looks for impulses in the leads that rows were cut of.
//   r_peaks  [K]
template <class Context>
BeatImpulses beat_impulses(Context&, const Recording<Context>& recording, const EmbeddedBeats<Context>& embedded,
                           std::span<const double> r_peaks, double sample_rate_hz);

// Tells which templates are paced, and makes the beats of those whose ventricles are paced Q: their shape is not the
// heart's own. Beats behind an atrial impulse keep their kinds.
void tell_paced(const BeatImpulses& impulses, double sample_rate_hz, Findings& findings);

}  // namespace beatscan
