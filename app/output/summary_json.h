// app/output/summary_json.h — summary.json of a result; docs/output.md describes it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "app/common/json.h"
#include "kernels/detect/quality_class.h"

namespace beatscan {

struct BadRows;
struct Config;
struct RunResult;
struct StartTime;

// Returns summary.json: everything about the run in numbers. `evaluation` may be null.
Json summary_json(const RunResult& result, const Config& config, const Json& evaluation);

// Returns how many bad rows were skipped (ingest.on_bad), and the first of them by line and byte.
Json to_json(const BadRows& bad);

// Returns the clock time of the start of a recording; null if its file does not specify it.
Json start_json(const std::optional<StartTime>& start);

const char* name_of(Outcome outcome);

}  // namespace beatscan
