// stages/findings/steps.h — tells beats that are a step of the signal: an electrode that is touched, or that moves.
//
// Such a step rises within some milliseconds and fades within tenths of a second. A beat is no step: what rises in a
// QRS complex falls again, and that of a ventricular beat takes tens of milliseconds for either. Let v be the signal
// from 50 ms before the steepest 10 ms near the R peak to 150 ms after it, and d the change within 10 ms. A lead shows
// a step if
//   - the largest |d| is 0.65 of the range of v at least: all of it happens at once
//   - no d of the other sign is above a quarter of it, before or after: nothing returns
//   - no d of the same sign is above a quarter of it, once it is over
//   - it is above a fifth of the usual beats' largest |d|
// A beat is a step if a lead shows one, and every other lead shows one, too, or changes by less than 0.45 of what is
// usual in it: a beat would be seen there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

template <class Context>
struct Recording;

// The beats of a recording, and those that are looked at.
struct StepBeats {
  std::span<const double> r_peaks;         // [K]
  const std::vector<std::int64_t>& usual;  // beats that show what is usual
  const std::vector<std::int64_t>& asked;  // [C] beats
};

// Tells which beats are steps, [C].
//   leads  numbers of the leads that are looked at, one at least
template <class Context>
std::vector<std::uint8_t> are_steps(Context&, const Recording<Context>& recording, std::span<const std::int64_t> leads,
                                    const StepBeats& beats, double sample_rate_hz);

}  // namespace beatscan
