// app/result/files/outputs.h — writes the files of a result; docs/output.md says what each holds.
#pragma once

#include <optional>
#include <string>

#include "app/config/config.h"
#include "app/result/output_folder.h"
#include "app/result/run_result.h"
#include "app/tables/table.h"

namespace beatscan {

// Returns summary.json: everything about the run in numbers. `evaluation` may be null.
Json summary_json(const RunResult& result, const Config& config, const Json& evaluation);

// Returns how many bad rows were passed over (ingest.on_bad), and the first of them by line and byte.
Json to_json(const BadRows& bad);

// Returns the clock when a recording begins; null where its file does not tell it.
Json start_json(const std::optional<StartTime>& start);

// Writes all files of a result into the folder (not yet committed). Returns the table of its beats.
Table write_result(OutputFolder& folder, const RunResult& result, const Config& config, const Json& evaluation,
                   TableForm beats = TableForm::csv);

const char* name_of(Fate fate);

}  // namespace beatscan
