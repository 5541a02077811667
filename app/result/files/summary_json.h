// app/result/files/summary_json.h — summary.json of a result; docs/output.md says what it holds.
#pragma once

#include <optional>

#include "app/config/config.h"
#include "app/result/run_result.h"

namespace beatscan {

// Returns summary.json: everything about the run in numbers. `evaluation` may be null.
Json summary_json(const RunResult& result, const Config& config, const Json& evaluation);

// Returns how many bad rows were passed over (ingest.on_bad), and the first of them by line and byte.
Json to_json(const BadRows& bad);

// Returns the clock when a recording begins; null where its file does not tell it.
Json start_json(const std::optional<StartTime>& start);

const char* name_of(Fate fate);

}  // namespace beatscan
