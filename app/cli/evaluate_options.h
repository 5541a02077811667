// app/cli/evaluate_options.h — the options of `evaluate`.
#pragma once

#include <string>
#include <vector>

#include "app/evaluation/evaluate.h"

namespace beatscan {

struct EvaluateOptions {
  EvaluateRequest request;
  std::filesystem::path reference = {};    // a result with corrections that is the truth; empty: none
  std::string standard = {};               // "ec57", or empty: the program's own figures
  std::vector<std::string> excluded = {};  // names of results that the standard's tables leave out
  bool json = false;                       // the standard's tables as JSON instead of text
};

}  // namespace beatscan
