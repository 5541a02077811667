// app/report/stored/stored_waves.h — intervals and ST levels of a stored result: the part `waves` of summary.json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stages/waves/wave_summary.h"

namespace beatscan {

struct StoredResult;

struct StoredWaves {
  std::string correction;          // of the QT interval: "Fridericia"
  double st_after_j_s = 0;         // where the ST level is measured, behind the end of the QRS complex
  std::vector<std::string> leads;  // [L] whose ST levels the summary has
  WaveSummary summary;
};

// Returns the intervals; nothing where the result has none, as those of the published method and of older versions.
// Throws ErrorKind::input, naming the file, where a value is out of range or the hours are not those of the recording.
std::optional<StoredWaves> stored_waves(const StoredResult& result);

}  // namespace beatscan
