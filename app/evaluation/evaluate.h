// app/evaluation/evaluate.h — how good is a result: beats found against reference beats, scores against their classes.
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
  std::optional<double> score = {};     // beats that were found but not kept have none
  std::optional<double> baseline = {};  // score of the method to compare with, where the result has it
  bool anomalous = false;
};

// Values without a denominator (no beats, no positives) do not exist.
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
  std::vector<RocPoint> roc = {};  // thinned; empty without positives or negatives
};

// What became of the reference beats of one symbol.
struct SymbolCounts {
  std::int64_t beats = 0, found = 0, anomalous = 0;  // anomalous: of those found
};

struct Evaluation {
  DetectionQuality detection;
  struct Anomaly {
    RankingQuality v, svf;  // V, and S + V + F, against N
  };
  Anomaly anomaly;
  std::optional<Anomaly> baseline;
  std::map<char, SymbolCounts> symbols;
  std::vector<std::string> warnings = {};
};

// For every reference beat the index of the detected beat that it is matched to, or nothing. Each beat is matched at
// most once, within the tolerance (inclusive). As many pairs as possible; of the ways to make that many, the one with
// the least total distance, so that a stray detection does not take the place, and give its score, of the beat itself.
// Both inputs in ascending order.
std::vector<std::optional<std::size_t>> match_beats(std::span<const std::int64_t> reference,
                                                    std::span<const std::int64_t> detected,
                                                    std::int64_t tolerance_samples);

// Both inputs in time order. All reference beats count in v and svf: one that was not found, or has no score, ranks
// below every real score.
Evaluation evaluate(std::span<const ReferenceBeat> reference, std::span<const DetectedBeat> detected,
                    double sample_rate_hz, double tolerance_ms = kDefaultToleranceMs);

// Reads beats.csv and, where no rate is given, the rate from summary.json in the output folder of a run. Evaluation's
// warnings tell of a truth of another recording.
Evaluation evaluate_folder(const std::filesystem::path& folder, const std::filesystem::path& truth,
                           double tolerance_ms = kDefaultToleranceMs,
                           std::optional<double> sample_rate_hz = std::nullopt);

// {"detection": {…}, "false_beats": n, "symbols": {"N": {…}, …}, "anomaly": {"V": {…}, "SVF": {…}}}, and "baseline" as
// "anomaly" where there is one; what does not exist is null.
nlohmann::ordered_json to_json(const Evaluation& evaluation);

}  // namespace beatscan
