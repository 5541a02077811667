// app/result/files/beats_table.h — the table of beats: beats.csv and beats.parquet are made of it.
#pragma once

#include "app/tables/table.h"

namespace beatscan {

struct RunResult;

// Returns one row a candidate beat, in time order; docs/output.md describes the columns. The facts are the name of the
// recording, its sampling rate and the version of the program.
Table beats_table(const RunResult& result);

}  // namespace beatscan
