#include "app/output/text/drift_words.h"

#include <nlohmann/json.hpp>

#include "app/common/numbers.h"
#include "app/output/run_result.h"

namespace beatscan {
namespace {

// Returns why the drift is unknown.
std::string why_unknown(const RunResult& result) {
  if (!result.model.usual) return "its file lacks the statistics of its training beats";
  return "it takes " + std::to_string(kLeastDriftRows) + " normal beats, and this recording has fewer";
}

}  // namespace

Json drift_json(const RunResult& result) {
  if (!result.model.source) return nullptr;
  if (!result.drift) return {{"value", nullptr}, {"unknown_because", why_unknown(result)}};
  return {{"value", result.drift->value},
          {"statistic", "Jensen-Shannon divergence, 0 to 1"},
          {"reconstruction_error", result.drift->error},
          {"latents", result.drift->latents}};
}

std::string drift_warning(const RunResult& result) {
  if (!result.model.source || !result.model.in_scores) return "";
  if (!result.drift) return "the drift of the saved model is unknown: " + why_unknown(result);
  if (result.drift->value <= result.model.most_drift) return "";
  return "the saved model was trained on other beats: drift " + significant(result.drift->value, 2) + ", above " +
         significant(result.model.most_drift, 2) + " (score.most_drift)";
}

}  // namespace beatscan
