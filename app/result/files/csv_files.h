// app/result/files/csv_files.h — the tables of a result as CSV text; docs/output.md describes their columns.
#pragma once

#include <string>

namespace beatscan {

struct RunResult;

// Returns one row a generated beat.
std::string generated_csv(const RunResult& result);

// Returns one row a stretch of signal that is not good. As published, the signal is not judged and there is none.
std::string quality_csv(const RunResult& result);

// Returns one row a template, in the order of their numbers. As published there is none.
std::string templates_csv(const RunResult& result);

}  // namespace beatscan
