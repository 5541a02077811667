// app/pipeline/bench.h — benchmarks every stage: analyses the same recording several times in one process, after
// warm-up runs.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/common/json.h"

namespace beatscan {

class Log;
struct Config;

struct BenchOptions {
  std::filesystem::path input;  // a recording; read from the page cache, since it is read repeatedly
  int warm_up = 1;              // warm-up runs
  int repetitions = 5;
};

// Measures every stage and the total, from reading to scores; no files are written. The JSON holds
//   - for each stage median, minimum and maximum in seconds, bytes, and the share of a plain copy's bandwidth
//   - the pool, the environment and the input's hash
//   - the final loss and counts of beats, which prove that the work was done
template <class Context>
Json bench(Context&, const BenchOptions& options, const Config& config, Log& log);

// Returns the result of bench() as a table of text.
std::string bench_table(const Json& result);

}  // namespace beatscan
