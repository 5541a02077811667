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

#include "app/evaluation/episode_quality.h"
#include "app/evaluation/kind_quality.h"
#include "app/evaluation/ranking.h"
#include "app/evaluation/rhythm_truth.h"
#include "app/evaluation/wave_quality.h"

namespace beatscan {

struct ReferenceBeat;

inline constexpr double kDefaultToleranceMs = 150;  // ANSI/AAMI EC57

struct DetectedBeat {
  std::int64_t sample;
  std::optional<double> score = {};     // nothing for a beat that was found and not kept
  std::optional<double> baseline = {};  // score of the method to compare with, if the result has it
  bool anomalous = false;
  std::optional<char> kind = {};  // N, S, V, F or Q; nothing if the result has no kinds
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
  std::optional<KindMatrix> kinds = {};
  // By label; nothing if the truth has no rhythms, or the result no episodes.
  std::optional<std::map<std::string, EpisodeQuality>> episodes = {};
  std::optional<WaveQuality> waves = {};  // nothing if the truth has no waves, or the result none
  std::vector<std::string> warnings = {};
  bool only_episodes = false;  // there are no beats to compare
};

// Compares beats that are both in time order. All reference beats count in v and svf: one that was not found, or has no
// score, ranks below every real score.
//   rhythms  of the reference; within VF, beats that match no reference beat have no kind to be compared
Evaluation evaluate(std::span<const ReferenceBeat> reference, std::span<const DetectedBeat> detected,
                    double sample_rate_hz, double tolerance_ms = kDefaultToleranceMs,
                    std::span<const LabelledStretch> rhythms = {});

// Names a result, the truth that it is compared with, and the way to compare them.
struct EvaluateRequest {
  std::filesystem::path folder, truth;
  std::filesystem::path rhythms = {};  // empty: those of the truth file, if it is an annotation file
  double tolerance_ms = kDefaultToleranceMs;
  std::optional<double> sample_rate_hz = {};  // nothing: that of the result
  std::string lead = {};                      // whose waves are compared, by name or position; empty: those over leads
};

// Compares the result in a folder with a truth file. Of a result of `rhythm` the episodes alone are compared. Reads
// beats.csv or beats.parquet, which must have as many beats as summary.json tells, episodes.csv if there is one and, if
// no rate is given, the rate from summary.json. Waves are compared if the truth has some. Warns if the truth seems to
// be that of another recording.
Evaluation evaluate_folder(const EvaluateRequest& request);

// {"detection": {…}, "false_beats": n, "symbols": {"N": {…}, …}, "anomaly": {"V": {…}, "SVF": {…}}}. Has "baseline"
// too, like "anomaly", and "kinds", "episodes" and "waves", if there are any. Values that do not exist are null.
nlohmann::ordered_json to_json(const Evaluation& evaluation);

}  // namespace beatscan
