// kernels/waves/tq_activity.h — activity between the T wave and the next beat, where f waves are seen, in one lead.
//
// The TQ interval of a beat's window is [low, high): it begins behind the T wave of the beat before (without one, 80
// values, 320 ms, behind that R) and at the first value of the window at the earliest, and ends at the P onset, or at
// the QRS onset (without one, at value 117) where there is no P wave.
//   activity[b] = root mean square of the window's values there, less their regression line (least squares)
//   counts[b]   = number of these values
#pragma once

#include "kernels/waves/window.h"

namespace beatscan::waves {

inline constexpr int kLeastTqValues = 8;  // fewer have no activity: NaN

// Computes the activity of the beats first .. first + B - 1.
//   windows    [B][320] single beats, mV
//   before     [K] see rr_intervals
//   fiducials  [K][9] of the lead or of all leads (beat_waves.h), of the range and of the beat before it
//   activity   [K] mV; the range is written
//   counts     [K]
void tq_activity(Cpu&, std::span<const float> windows, std::span<const double> before, std::span<const float> fiducials,
                 std::int64_t first, std::span<float> activity, std::span<std::int32_t> counts);
void tq_activity(Cuda&, std::span<const float> windows, std::span<const double> before,
                 std::span<const float> fiducials, std::int64_t first, std::span<float> activity,
                 std::span<std::int32_t> counts);

}  // namespace beatscan::waves
