// app/run/bench.h — how fast every stage is, repeatably: one process, warmed up, the same recording n times.
#pragma once

#include "app/config/config.h"
#include "app/run/pipeline.h"
#include "app/text/log.h"

namespace beatscan {

struct BenchOptions {
  std::filesystem::path input;  // a recording; read from the page cache, since it is read again and again
  int warm_up = 1;              // runs that do not count
  int repetitions = 5;
};

// Stages and the whole (ingest to scores, files not written): median, minimum and maximum in seconds, bytes, and the
// share of the bandwidth that a plain copy reached in the same process; pool, environment, input hash, and the final
// loss and counts as a check that the work was done.
template <class Context>
Json bench(Context&, const BenchOptions& options, const Config& config, Log& log);

// The same as a table for people.
std::string bench_table(const Json& result);

}  // namespace beatscan
