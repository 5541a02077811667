// app/output/text/rhythm_words.h — texts on why a beat is abnormal by its timing.
#pragma once

#include <string>

namespace beatscan {

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

}  // namespace beatscan
