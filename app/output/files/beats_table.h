// app/output/files/beats_table.h — the table of beats, written as beats.csv and beats.parquet.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/output/tables/table.h"

namespace beatscan {

struct RunResult;

// Returns the metadata of a recording's table: its name, its sampling rate and the version of the program.
std::vector<std::pair<std::string, std::string>> table_facts(const RunResult& result);

// Returns one row a candidate beat, in time order; docs/output.md describes the columns.
Table beats_table(const RunResult& result);

}  // namespace beatscan
