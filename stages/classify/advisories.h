// stages/classify/advisories.h — what an advisory is reported on: limits of measured properties, and uncertain beat
// classes.
#pragma once

#include <cstdint>

namespace beatscan::advisory_limits {

// Limits of measured properties of a recording beyond which an advisory is reported. docs/advisories.md states how
// often each advisory is right on annotated records.

inline constexpr double kSlowestMedian_bpm = 25, kFastestMedian_bpm = 250;  // outside: a wrong sampling rate
inline constexpr double kLongDelay_s = 0.06;   // between leads; none of 73 records has more
inline constexpr double kGoodRecording = 0.8;  // least share of good signal
inline constexpr double kSilentEnd_s = 4;      // without a beat, at an end of the recording
inline constexpr double kLowConfidence = 0.5;  // of an episode; below it is more probably false than true

}  // namespace beatscan::advisory_limits

namespace beatscan {

struct Findings;

struct ClassUncertainty {
  double expected_wrong = 0;       // sum of 1 - largest posterior over beats that are not paced
  std::int64_t abnormal = 0;       // beats of class S and V
  std::int64_t least_certain = 0;  // the beat whose largest posterior is smallest

  static constexpr double kFewestWrong = 10, kManyWrong = 1;
  bool is_high() const {
    return expected_wrong >= kFewestWrong && expected_wrong >= kManyWrong * static_cast<double>(abnormal);
  }
};

// Paced beats are excluded: their pacing spike determines their class.
ClassUncertainty class_uncertainty(const Findings& findings);

}  // namespace beatscan
