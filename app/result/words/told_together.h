// app/result/words/told_together.h — works out several warnings side by side.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

#include "app/result/run_result.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {

using WarningOf = std::string (*)(const RunResult&);  // returns "" where there is nothing to warn of

// Returns the warnings that are not empty, in the order of the functions. Each function may go through all beats.
inline std::vector<std::string> told_together(const RunResult& result, std::initializer_list<WarningOf> functions) {
  std::vector<std::string> warnings(functions.size());
  parallel_each(Cpu(), std::ssize(warnings), [&](std::int64_t i) { warnings[i] = functions.begin()[i](result); });
  std::erase(warnings, "");
  return warnings;
}

}  // namespace beatscan
