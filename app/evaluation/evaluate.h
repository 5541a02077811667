// app/evaluation/evaluate.h — compares a result with reference annotations: the beats that were found with the
// reference beats, and the scores with their classes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/evaluation/ranking.h"
#include "app/evaluation/truth.h"

namespace beatscan {

inline constexpr double kDefaultToleranceMs = 150;  // ANSI/AAMI EC57

struct DetectedBeat {
  std::int64_t sample;
  std::optional<double> score = {};     // nothing for a beat that was found and not kept
  std::optional<double> baseline = {};  // score of the method to compare with, if the result has it
  bool anomalous = false;
};

// A value does not exist if its denominator is 0.
struct DetectionQuality {
  double tolerance_ms = kDefaultToleranceMs;
  std::int64_t tp = 0, fp = 0, fn = 0;
  std::optional<double> sensitivity;  // tp / (tp + fn)
  std::optional<double> ppv;          // tp / (tp + fp)
  std::optional<double> f1;           // 2 tp / (2 tp + fp + fn)
};

struct RankingQuality {
  std::optional<double> auroc, average_precision;
  std::int64_t positives = 0, negatives = 0;
  std::vector<RocPoint> roc = {};  // thinned; empty if there are no positives or no negatives
};

// Counts of the reference beats of one symbol.
struct SymbolCounts {
  std::int64_t beats = 0, found = 0, anomalous = 0;  // anomalous: found, with a score above the threshold
};

struct Evaluation {
  DetectionQuality detection;
  struct Anomaly {
    RankingQuality v, svf;  // class V, and classes S, V and F, against class N
  };
  Anomaly anomaly;
  std::optional<Anomaly> baseline;
  std::map<char, SymbolCounts> symbols;
  std::vector<std::string> warnings = {};
};

// Compares beats that are both in time order. All reference beats count in v and svf: one that was not found, or has no
// score, ranks below every real score.
Evaluation evaluate(std::span<const ReferenceBeat> reference, std::span<const DetectedBeat> detected,
                    double sample_rate_hz, double tolerance_ms = kDefaultToleranceMs);

// Compares the result in a folder with a truth file. Reads beats.csv and, if no rate is given, the rate from
// summary.json. Warns if the truth seems to be that of another recording.
Evaluation evaluate_folder(const std::filesystem::path& folder, const std::filesystem::path& truth,
                           double tolerance_ms = kDefaultToleranceMs,
                           std::optional<double> sample_rate_hz = std::nullopt);

// {"detection": {…}, "false_beats": n, "symbols": {"N": {…}, …}, "anomaly": {"V": {…}, "SVF": {…}}}. Has "baseline"
// too, like "anomaly", if there is one. Values that do not exist are null.
nlohmann::ordered_json to_json(const Evaluation& evaluation);

}  // namespace beatscan
