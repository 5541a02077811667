#include "app/evaluation/compared_result.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "app/evaluation/truth_fit.h"

namespace beatscan {

Evaluation compared(const ComparedResult& result) {
  Evaluation evaluation =
      evaluate(result.reference, result.detected, result.sample_rate_hz, result.tolerance_ms, result.rhythms);
  if (result.episodes && !result.rhythms.empty())
    evaluation.episodes = compare_episodes(result.rhythms, *result.episodes, result.sample_rate_hz);
  const auto warn = [&](std::vector<std::string> warnings) {
    std::ranges::move(warnings, std::back_inserter(evaluation.warnings));
  };
  if (result.samples) warn(warnings_of(result.reference, *result.samples, result.truth));
  warn(warnings_of(result.rhythms, result.rhythm_file));
  warn(fit_warnings(result.reference, result.detected, evaluation.detection, result.sample_rate_hz, result.truth));
  return evaluation;
}

}  // namespace beatscan
