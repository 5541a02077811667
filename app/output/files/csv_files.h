// app/output/files/csv_files.h — the tables of a result as CSV text; docs/output.md describes their columns.
#pragma once

#include <string>

namespace beatscan {

struct RunResult;

// Returns one row a generated beat.
std::string generated_csv(const RunResult& result);

// Returns one row a segment of signal that is not good; none with method published, which does not assess the signal.
std::string quality_csv(const RunResult& result);

// Returns one row a template, in the order of their numbers; none with method published.
std::string templates_csv(const RunResult& result);

}  // namespace beatscan
