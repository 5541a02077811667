#include <cmath>
#include <nlohmann/json.hpp>

#include "app/common/json_text.h"
#include "app/evaluation/evaluate.h"

namespace beatscan {
namespace {

// Rounds to six decimals, which is finer than the tolerance of a thinned curve.
nlohmann::ordered_json json_of(const std::vector<RocPoint>& curve) {
  if (curve.empty()) return nullptr;
  const auto rounded = [](double rate) { return std::round(rate * 1e6) / 1e6; };
  auto points = nlohmann::ordered_json::array();
  for (const auto& [false_positive_rate, true_positive_rate] : curve)
    points.push_back({rounded(false_positive_rate), rounded(true_positive_rate)});
  return points;
}

nlohmann::ordered_json json_of(const RankingQuality& quality) {
  return {{"auroc", or_null(quality.auroc)},
          {"average_precision", or_null(quality.average_precision)},
          {"positives", quality.positives},
          {"negatives", quality.negatives},
          {"roc", json_of(quality.roc)}};
}

nlohmann::ordered_json json_of(const Evaluation::Anomaly& anomaly) {
  return {{"V", json_of(anomaly.v)}, {"SVF", json_of(anomaly.svf)}};
}

}  // namespace

nlohmann::ordered_json to_json(const Evaluation& evaluation) {
  if (evaluation.only_episodes) return {{"episodes", to_json(*evaluation.episodes)}};
  const auto& detection = evaluation.detection;
  auto symbols = nlohmann::ordered_json::object();
  for (const auto& [symbol, counts] : evaluation.symbols)
    symbols[std::string(1, symbol)] = {
        {"beats", counts.beats}, {"found", counts.found}, {"anomalous", counts.anomalous}};
  nlohmann::ordered_json json = {{"detection",
                                  {{"tolerance_ms", detection.tolerance_ms},
                                   {"tp", detection.tp},
                                   {"fp", detection.fp},
                                   {"fn", detection.fn},
                                   {"sensitivity", or_null(detection.sensitivity)},
                                   {"ppv", or_null(detection.ppv)},
                                   {"f1", or_null(detection.f1)}}},
                                 {"false_beats", detection.fp},
                                 {"symbols", symbols},
                                 {"anomaly", json_of(evaluation.anomaly)}};
  if (evaluation.baseline) json["baseline"] = json_of(*evaluation.baseline);
  if (evaluation.beat_classes) json["kinds"] = to_json(*evaluation.beat_classes);
  if (evaluation.episodes) json["episodes"] = to_json(*evaluation.episodes);
  if (evaluation.waves) json["waves"] = to_json(*evaluation.waves);
  return json;
}

}  // namespace beatscan
