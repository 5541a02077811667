// tests/app/result/words/even_result.h — a result without a warning, which a test changes.
#pragma once

#include <string>
#include <vector>

#include "app/result/words/finding_warnings.h"
#include "tests/support/small_result.h"

namespace beatscan {

using Lines = std::vector<std::string>;

// A hundred beats at 100 Hz, `rr` samples apart, in two groups of one shape each.
inline RunResult even_result(double rr, std::int64_t first_shape, std::int64_t beats = 100) {
  RunResult result = ranked_result();
  auto& found = result.beats.found;
  found.r_peaks.clear();
  for (std::int64_t i = 0; i < beats; ++i) found.r_peaks.push_back(rr * static_cast<double>(i));
  found.quality.assign(beats, Quality::good);
  found.trusted.assign(beats, 1);
  found.broken.assign(beats - 1, 0);
  result.findings = Findings{};
  result.findings->groups = {{.shape = 0, .beats = first_shape}, {.shape = 1, .beats = beats - first_shape}};
  return result;
}

// Tells whether there is one warning, with these words in it.
inline bool says(const RunResult& result, const std::string& words) {
  const auto lines = finding_warnings(result);
  return lines.size() == 1 && lines[0].find(words) != std::string::npos;
}

}  // namespace beatscan
