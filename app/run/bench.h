// app/run/bench.h — measures how fast every stage is: the same recording several times in one process, warmed up.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/text/json.h"

namespace beatscan {

class Log;
struct Config;

struct BenchOptions {
  std::filesystem::path input;  // a recording; read from the page cache, since it is read again and again
  int warm_up = 1;              // runs that do not count
  int repetitions = 5;
};

// Measures every stage and the whole, from reading to scores; no files are written. The JSON holds
//   - of each stage median, minimum and maximum in seconds, bytes, and the share of a plain copy's bandwidth
//   - the pool, the environment and the input's hash
//   - the final loss and counts of beats, as a check that the work was done
template <class Context>
Json bench(Context&, const BenchOptions& options, const Config& config, Log& log);

// Returns the result of bench() as a table for people.
std::string bench_table(const Json& result);

}  // namespace beatscan
