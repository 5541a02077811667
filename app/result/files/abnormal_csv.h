// app/result/files/abnormal_csv.h — the table of the abnormal beats; docs/output.md describes its columns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/result/run_result.h"

namespace beatscan {

// Returns one row an abnormal beat: first those in good signal, the most abnormal first, then those in poor signal in
// the same order. As published, all signal counts as good.
std::string abnormal_csv(const RunResult& result);

// The same in parts, which are written side by side, with the ranks of the rows from ranks_in_good_signal().
std::vector<std::string> abnormal_csv_parts(const RunResult& result, std::span<const std::int64_t> ranks);

}  // namespace beatscan
