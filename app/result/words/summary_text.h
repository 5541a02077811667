// app/result/words/summary_text.h — says what was found, in a few lines, and what the reader must beware of.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/text/json.h"

namespace beatscan {

struct RunResult;

// The beats a minute that a heart may have for most of a recording.
inline constexpr double kSlowestHeart_bpm = 25, kFastestHeart_bpm = 250;

// Returns what was found, in nine or ten lines, and up to three more with reference annotations. The figures are those
// of report.html. `evaluation` may be null.
std::string summary_text(const RunResult& result, const std::filesystem::path& folder, const Json& evaluation);

// Returns the warnings about the input, and one line each for
//   - a signal that may be no ECG, or is cut off throughout; a lead of little good signal, or without a part
//   - beats in poor signal that stand in for usual ones
//   - much poor signal, or many RR intervals that are not known
//   - a heart rate that no heart has, by a wrong sampling rate
//   - what finding_warnings.h, kind_warnings.h and doubt_warnings.h list
//   - a saved model that does not fit the recording, or may not, if it has a part in the scores
//   - as published, a model that tells nothing
// Around R peaks nothing is said of the model: it sees only the difference from the median beat, which in a clean
// recording is noise. A result that has its warnings already is taken at its word.
std::vector<std::string> warnings_of(const RunResult& result);

}  // namespace beatscan
