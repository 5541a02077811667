// app/batch/comparison.h — compares a result that is still in memory with reference annotations.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/common/json.h"

namespace beatscan {

struct RunResult;

struct Comparison {
  Json json;                          // null: no reference annotations
  std::vector<std::string> warnings;  // that the annotations belong to another recording, or are empty
};

// Returns what `evaluate` would print for the result. An empty path: no comparison.
Comparison comparison_of(const RunResult& result, const std::filesystem::path& truth);

}  // namespace beatscan
