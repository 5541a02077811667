// app/result/words/finding_warnings.h — warns where the usual beats or rhythm of a recording may themselves be
// abnormal.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/result/run_result.h"

namespace beatscan {

// Returns one line each for
//   - few beats that show what is normal
//   - a rate that is not one of sinus rhythm for most of the recording
//   - two shapes that compete for the usual one
//   - a long run of early beats, which a rate that changed for good looks like
//   - a rate that changes at once and stays
//   - a fast, regular rhythm in signal that counts as noisy
//   - leads that show different beats
//   - pacing spikes without a QRS complex after them
//   - asystole, which an electrode that came off may look like
//   - pauses that look like an electrode that came off, and those that are half certain
//   - seconds without a beat at the start or the end, and between beats where the signal does not show a pause
//   - an irregular rhythm, unless atrial fibrillation fills most of the time and says so
std::vector<std::string> finding_warnings(const RunResult& result);

// Pairs of intervals that follow one another, both known and between beats in good signal. V beats are left out,
// because the findings name them.
struct RhythmSteps {
  std::int64_t pairs = 0;      // such pairs
  std::int64_t irregular = 0;  // those whose second interval differs from the first by more than kIrregularStep
  double share() const { return pairs > 0 ? static_cast<double>(irregular) / static_cast<double>(pairs) : 0; }
};
inline constexpr double kIrregularStep = 0.2;  // of the first interval

//   kinds  of the beats; empty: none is V
RhythmSteps rhythm_steps(const BeatList& beats, std::span<const Kind> kinds = {});

}  // namespace beatscan
