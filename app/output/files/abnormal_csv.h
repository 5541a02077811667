// app/output/files/abnormal_csv.h — the table of the abnormal beats; docs/output.md describes its columns.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct RunResult;

// Returns one row an abnormal beat: first those in good signal, the most abnormal first, then those in poor signal in
// the same order. With method published, all signal counts as good. The text is in parts, which several threads
// generate.
std::vector<std::string> abnormal_csv_parts(const RunResult& result);

}  // namespace beatscan
