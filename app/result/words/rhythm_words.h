// app/result/words/rhythm_words.h — tells in words why a beat is abnormal by its time.
#pragma once

#include <string>

namespace beatscan {

// The parts of a score that make it high; both may.
struct ScoreParts {
  bool rhythm = false, waveform = false;
};

// A part with at least this share of the score is named.
inline constexpr double kNamedShare = 0.3;

ScoreParts named_parts(double waveform, double rhythm);

// Says how early or late a beat comes, and how long the pause after it is, by its RR intervals over the usual one:
// "34 % early; the next beat comes 40 % later than usual". Empty where neither is off by more than 7.5 %.
std::string rhythm_words(float prev_ratio, float next_ratio);

}  // namespace beatscan
