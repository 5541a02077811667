// app/result/words/fibrillation_warnings.h — warns where fibrillation that is told may be something else.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct RunResult;

// Returns one line each for
//   - ventricular fibrillation or flutter, which shivering and movement look like: too grave to be believed without a
//     look
//   - atrial fibrillation of low confidence, or of few beats
//   - bigeminy at a fast rate, which a tachycardia whose shape alternates looks like
std::vector<std::string> fibrillation_warnings(const RunResult& result);

}  // namespace beatscan
