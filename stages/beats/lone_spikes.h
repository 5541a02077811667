// stages/beats/lone_spikes.h — pacing spikes without a QRS complex after them, which are sharp enough to be taken for
// beats: the pacemaker fires, and the heart may stand still.
//
//   narrow  12 ms beside its tip the deflection has less than kNarrow of its height
//   silent  what follows from 30 to 350 ms after the tip spans less than kBehindTip of its height, or less than
//           kBehindUsual of its height and of the median over all beats; where it is not visible, of that median alone
// A deflection is visible in a lead where its height is at least kVisible of the median there. A beat is a lone spike
// if it is silent in all leads, and narrow in one in which it is visible. Below 200 Hz no beat is one. Of 106,000 beats
// of ds1, nstdb, cinc2014 and tele one is a lone spike, and it is not annotated.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

struct BeatTip;
struct LeadSignal;
template <class Context>
struct Detection;

// Returns which of K beats are lone spikes.
//   leads  [L][K]
std::vector<std::uint8_t> lone_spikes(const std::vector<std::vector<BeatTip>>& leads);

// Lists the lone spikes of a detection in `spikes`, and takes them out of its beats unless most beats are lone spikes.
// It needs the detection's quality, and leaves leads out that may be no ECG.
template <class Context>
void leave_out_spikes(Context&, std::span<const LeadSignal> signals, double sample_rate_hz,
                      Detection<Context>& detection);

}  // namespace beatscan
