#include "app/output/files/waves_json.h"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/common/json_text.h"
#include "app/output/result_facts.h"
#include "app/output/run_result.h"
#include "stages/waves/wave_summary.h"

namespace beatscan {
namespace {

// Returns a value rounded to this many parts of one, or null for NaN. Adding 0 avoids -0.
Json rounded(double value, double parts) {
  return or_null(std::isnan(value) ? std::nullopt : std::optional(std::round(value * parts) / parts + 0.0));
}

// `leads` are names, one for each lead of the medians.
Json medians_json(const IntervalMedians& medians, const std::vector<std::string>& leads) {
  Json st = Json::object();
  for (std::size_t l = 0; l < medians.st_mv.size(); ++l) st[leads[l]] = rounded(medians.st_mv[l], 1000);
  return {{"beats", medians.beats},
          {"pr_ms", rounded(medians.pr, 10)},
          {"qrs_ms", rounded(medians.qrs, 10)},
          {"qt_ms", rounded(medians.qt, 10)},
          {"qtc_ms", rounded(medians.qtc, 10)},
          {"p_share", rounded(medians.p_share, 10000)},
          {"st_mv", std::move(st)},
          {"non_conducted_p", medians.non_conducted}};
}

}  // namespace

Json waves_json(const RunResult& result) {
  if (!result.wave_summary || result.waves->beats() == 0) return nullptr;
  const WaveSummary& summary = *result.wave_summary;
  const auto names = distinct_lead_names(result);
  std::vector<std::string> leads;
  for (const std::int64_t lead : result.waves->leads) leads.push_back(names[lead]);
  Json json = medians_json(summary.all, leads);
  json["longest_qtc"] = nullptr;
  if (const auto& longest = summary.longest_qtc)
    json["longest_qtc"] = {{"qtc_ms", rounded(longest->qtc_ms, 10)}, {"begin_s", longest->begin_s}};
  json["hours"] = Json::array();
  for (const auto& hour : summary.hours) json["hours"].push_back(medians_json(hour, leads));
  json["model_sha256"] = result.wave_model_sha256;
  return json;
}

}  // namespace beatscan
