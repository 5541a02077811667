// app/output/summary_text.h — the words of a result, and its summary on a terminal.
#pragma once

#include <filesystem>
#include <string>

#include "app/common/json.h"

namespace beatscan {

struct RhythmBeats;
struct RhythmFindings;
struct RunResult;

// The parts that make a score high; one or both.
struct ScoreParts {
  bool rhythm = false, waveform = false;
};

// A part with at least this share of the score is reported.
inline constexpr double kNamedShare = 0.3;

ScoreParts named_parts(double waveform, double rhythm);

// Returns the prematurity or delay of a beat and the compensatory pause, from its RR intervals divided by the reference
// RR: "34 % premature; next RR interval 40 % longer". Empty if neither deviates by more than 7.5 %.
std::string rhythm_words(float prev_ratio, float next_ratio);

// Returns each label with its number and, where that adds information, its total time, such as
// "AFIB 2 (1 h 3 min), V2 12"; "none" without an episode. Reports if atrial fibrillation is undetermined.
std::string episode_figures(const RhythmBeats& beats, const RhythmFindings& findings);

// Returns the summary in nine or ten lines, and up to three more with reference annotations. The figures are those of
// report.html. `evaluation` may be null.
std::string summary_text(const RunResult& result, const std::filesystem::path& folder, const Json& evaluation);

}  // namespace beatscan
