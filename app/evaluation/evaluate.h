// app/evaluation/evaluate.h — compares a result with reference annotations: detected beats with reference beats, and
// scores with beat classes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/evaluation/annotations.h"
#include "app/evaluation/beat_quality.h"
#include "app/evaluation/episode_quality.h"
#include "app/evaluation/truth.h"
#include "app/evaluation/wave_quality.h"

namespace beatscan {

inline constexpr double kDefaultToleranceMs = 150;  // ANSI/AAMI EC57

struct DetectedBeat {
  std::int64_t sample;
  std::optional<double> score = {};     // nullopt for a beat that was detected and not accepted
  std::optional<double> baseline = {};  // score of the comparison method, if the result has it
  bool anomalous = false;
  std::optional<char> beat_class = {};  // N, S, V, F or Q; nullopt if the result has no beat classes
};

// A value is nullopt if its denominator is 0.
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
  std::int64_t beats = 0, found = 0, anomalous = 0;  // anomalous: detected, with a score above the threshold
};

struct Evaluation {
  DetectionQuality detection;
  struct Anomaly {
    RankingQuality v, svf;  // class V, and classes S, V and F, against class N
  };
  Anomaly anomaly;
  std::optional<Anomaly> baseline;
  std::map<char, SymbolCounts> symbols;
  std::optional<ClassMatrix> beat_classes = {};
  // By label; nullopt if the truth has no rhythms, or the result no episodes.
  std::optional<std::map<std::string, EpisodeQuality>> episodes = {};
  std::optional<WaveQuality> waves = {};  // nullopt if the truth or the result has no waves
  std::vector<std::string> warnings = {};
  bool only_episodes = false;  // there are no beats to compare
};

// Compares two lists of beats in time order. All reference beats count in v and svf: one that was not detected, or has
// no score, ranks below every actual score.
//   rhythms  of the reference; detections within VF that match no reference beat have no class to compare
Evaluation evaluate(std::span<const ReferenceBeat> reference, std::span<const DetectedBeat> detected,
                    double sample_rate_hz, double tolerance_ms = kDefaultToleranceMs,
                    std::span<const LabelledStretch> rhythms = {});

// The paths of a result and its truth, and the options of the comparison.
struct EvaluateRequest {
  std::filesystem::path folder, truth;
  std::filesystem::path rhythms = {};  // empty: those of the truth file, if it is an annotation file
  double tolerance_ms = kDefaultToleranceMs;
  std::optional<double> sample_rate_hz = {};  // nullopt: that of the result
  std::string lead = {};                      // name or position of a lead; empty: waves over all leads
};

// Compares the result in a folder with a truth file. For a result of `rhythm`, only the episodes are compared. Reads
// beats.csv or beats.parquet, whose number of beats must match summary.json, episodes.csv if it exists and, if no rate
// is given, the rate from summary.json. Waves are compared if the truth has some. Warns if the truth appears to belong
// to another recording.
Evaluation evaluate_folder(const EvaluateRequest& request);

// {"detection": {…}, "false_beats": n, "symbols": {"N": {…}, …}, "anomaly": {"V": {…}, "SVF": {…}}}. Also has
// "baseline", like "anomaly", and "kinds", "episodes" and "waves", if available. Undefined values are null.
nlohmann::ordered_json to_json(const Evaluation& evaluation);

// A result and its reference. Beats and episodes are in time order.
struct ComparedResult {
  std::filesystem::path truth, rhythm_file;  // the files of the reference, for warnings
  std::span<const ReferenceBeat> reference;
  const std::vector<LabelledStretch>& rhythms;  // of the reference; empty: none
  std::span<const DetectedBeat> detected;
  std::optional<std::vector<LabelledStretch>> episodes = {};  // of the result; nullopt: none
  double sample_rate_hz;
  std::optional<std::int64_t> samples = {};  // of the recording; nullopt: unknown
  double tolerance_ms = kDefaultToleranceMs;
};

// Compares beats and beat classes and, if both sides have them, rhythms and episodes. Warns if the reference appears to
// belong to another recording, and of labels that are not compared.
Evaluation compared(const ComparedResult& result);

// Warns in three cases:
//   - a tenth of the detected beats or more lie before the first reference beat or after the last one
//   - fewer than half of the beats match, and one constant delay of up to a second would match most
//   - fewer than half of the reference beats match otherwise
// Both inputs ascend. `path` names the truth.
std::vector<std::string> fit_warnings(std::span<const ReferenceBeat> reference, std::span<const DetectedBeat> detected,
                                      const DetectionQuality& quality, double sample_rate_hz,
                                      const std::filesystem::path& path);

}  // namespace beatscan
