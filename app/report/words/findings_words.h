// app/report/words/findings_words.h — says in plain words what was found in a recording, and what could not be decided.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace beatscan {

struct StoredResult;

// A finding, and the stretch of the recording that shows it; NaN where there is none to show.
struct Finding {
  std::string words;
  double from = std::numeric_limits<double>::quiet_NaN(), to = from;
};

// Says how many beats are V and S: "71 premature ventricular beats (V), alone and in 3 couplets".
std::vector<Finding> beat_findings(const StoredResult& result);

// Says what the rhythm was: episodes by label, the most serious first; whether there was atrial fibrillation; and,
// where there was no pause, the longest interval between beats.
std::vector<Finding> rhythm_findings(const StoredResult& result);

// Returns the sentence in front of beat_findings: "96 of 2,273 beats are S or V, in 2 morphologies".
std::string unusual_words(const StoredResult& result);

// Says what is undetermined, in one sentence for each question.
std::vector<std::string> not_told(const StoredResult& result);

// The shortest recording in which atrial fibrillation is looked for.
inline constexpr double kLeastForFibrillation_s = 30;

// Returns for how many seconds of the recording it could be told whether there is atrial fibrillation: all of it,
// unless the summary says otherwise.
double fibrillation_told_s(const StoredResult& result);
// Says whether that is long enough to say that there is none, or there is some.
bool tells_fibrillation(const StoredResult& result);

// The fewest kept beats in good signal that show what is usual. With fewer it is a guess.
inline constexpr std::int64_t kFewBeats = 50;

}  // namespace beatscan
