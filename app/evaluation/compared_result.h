// app/evaluation/compared_result.h — compares all that a result has with a reference: beats, kinds and episodes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "app/evaluation/evaluate.h"
#include "app/evaluation/truth.h"

namespace beatscan {

// A result and its reference. Beats and stretches are in time order.
struct ComparedResult {
  std::filesystem::path truth, rhythm_file;  // the files of the reference, for warnings
  std::span<const ReferenceBeat> reference;
  const std::vector<LabelledStretch>& rhythms;  // of the reference; empty: it has none
  std::span<const DetectedBeat> detected;
  std::optional<std::vector<LabelledStretch>> episodes = {};  // of the result; nothing: it has none
  double sample_rate_hz;
  std::optional<std::int64_t> samples = {};  // of the recording; nothing: not known
  double tolerance_ms = kDefaultToleranceMs;
};

// Compares beats, kinds and, if both have some, rhythms and episodes. Warns where the reference seems to be that of
// another recording, and of labels that are compared with nothing.
Evaluation compared(const ComparedResult& result);

}  // namespace beatscan
