// app/result/words/rate_warnings.h — warns where the rate or the regularity of the beats may itself be abnormal.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stages/findings/beat_class.h"

namespace beatscan {

struct BeatList;
struct RunResult;

// Returns one line each for
//   - a rate that is not one of sinus rhythm for most of the recording
//   - an irregular rhythm, unless atrial fibrillation fills most of the time and says so; else stretches of it
//   - a long run of early beats, which a rate that changed for good looks like
//   - a rate that changes at once and stays
//   - a fast, regular rhythm in signal that counts as noisy, and one within NOISE
//   - runs of V beats in atrial fibrillation that are no regular rhythm
//   - runs of V beats where movement bends the usual beats, too
//   - runs of early beats that come irregularly
//   - heart rate variability of an irregular rhythm
std::vector<std::string> rate_warnings(const RunResult& result);

// Pairs of intervals that follow one another, both known and between beats in good signal. V beats are left out,
// because the findings name them, and so are bumps.
struct RhythmSteps {
  std::int64_t pairs = 0;      // such pairs
  std::int64_t irregular = 0;  // those whose second interval differs from the first by more than kIrregularStep
  double share() const { return pairs > 0 ? static_cast<double>(irregular) / static_cast<double>(pairs) : 0; }
};
inline constexpr double kIrregularStep = 0.2;  // of the first interval

//   kinds  of the beats; empty: none is V
//   bent   see Findings
RhythmSteps rhythm_steps(const BeatList& beats, std::span<const Kind> kinds = {},
                         std::span<const std::uint8_t> bent = {});

}  // namespace beatscan
