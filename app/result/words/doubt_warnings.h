// app/result/words/doubt_warnings.h — warns where kinds and rhythms rest on deflections that may be no heartbeats.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct RunResult;

// Returns one line each for
//   - a long, slow run of V beats: movement at an even rate, and a gain that changed, look like that
//   - V beats in hum or muscle noise, which odd shapes are made of
//   - V beats that follow half of the beats, or many within some minutes, so soon that they may be T waves
//   - a row of beats that are faint, outside of flutter and noise: P waves of a standstill look like that
//   - two shapes that follow each other, or shapes that all change at once: a lead that was moved or swapped, or a gain
//     that changed
//   - beats that come again and again at the same intervals: a loop
std::vector<std::string> doubt_warnings(const RunResult& result);

}  // namespace beatscan
