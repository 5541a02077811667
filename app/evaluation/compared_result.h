// app/evaluation/compared_result.h — compares a result with reference annotations: beats, beat classes and episodes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "app/evaluation/evaluate.h"
#include "app/evaluation/truth.h"

namespace beatscan {

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

}  // namespace beatscan
