// app/result/files/summary_json.h — summary.json of a result; docs/output.md says what it holds.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "app/text/json.h"
#include "kernels/beats/fate.h"

namespace beatscan {

struct BadRows;
struct Config;
struct RunResult;
struct StartTime;

// Returns summary.json: everything about the run in numbers. `evaluation` may be null.
Json summary_json(const RunResult& result, const Config& config, const Json& evaluation);

// Returns how many bad rows were passed over (ingest.on_bad), and the first of them by line and byte.
Json to_json(const BadRows& bad);

// Returns the clock when a recording begins; null where its file does not tell it.
Json start_json(const std::optional<StartTime>& start);

const char* name_of(Fate fate);

}  // namespace beatscan
