// app/result/files/outputs.h — writes the files of a result; docs/output.md says what each holds.
#pragma once

#include <functional>

#include "app/tables/table.h"
#include "app/text/json.h"

namespace beatscan {

class OutputFolder;
struct Config;
struct RunResult;

// Writes all files of a result into the folder (not yet committed), several at a time. Calls `page` with the table of
// beats once all files that a page is made of are there. Other threads still write files from `result` meanwhile, so
// `page` may change `result.report` alone. A page that memory runs out for is left out; `page` itself says so.
void write_result(OutputFolder& folder, const RunResult& result, const Config& config, const Json& evaluation,
                  TableForm form = TableForm::csv, const std::function<void(const Table& beats)>& page = {});

}  // namespace beatscan
