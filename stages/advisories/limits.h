// stages/advisories/limits.h — limits of measured properties of a recording beyond which an advisory is reported.
// docs/advisories.md states how often each advisory is right on annotated records.
#pragma once

namespace beatscan::advisory_limits {

inline constexpr double kSlowestMedian_bpm = 25, kFastestMedian_bpm = 250;  // outside: a wrong sampling rate
inline constexpr double kLongDelay_s = 0.06;   // between leads; none of 73 records has more
inline constexpr double kGoodRecording = 0.8;  // least share of good signal
inline constexpr double kSilentEnd_s = 4;      // without a beat, at an end of the recording
inline constexpr double kLowConfidence = 0.5;  // of an episode; below it is more probably false than true

}  // namespace beatscan::advisory_limits
