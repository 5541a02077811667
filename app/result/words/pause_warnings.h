// app/result/words/pause_warnings.h — warns of time without a beat that may or may not be a pause of the heart.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct Episode;
struct RunResult;

// Returns one line each for
//   - seconds without a beat at the start and at the end
//   - asystole, which an electrode that came off may look like
//   - pauses that look like an electrode that came off, and those that are half certain
//   - long intervals between beats where the signal does not show a pause
//   - stretches in which one lead shows no beats and those of noise in the others were left out
//   - stretches without a beat beside ventricular fibrillation or flutter
std::vector<std::string> pause_warnings(const RunResult& result);

// Tells how often asystole is reported, and where it lasts longest; "" without any.
//   counts    says which episodes count
//   why       what speaks against it, as the end of the sentence
std::string asystole_words(const RunResult& result, bool (*counts)(const Episode&), const std::string& why);

}  // namespace beatscan
