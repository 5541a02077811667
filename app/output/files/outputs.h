// app/output/files/outputs.h — writes the files of a result; docs/output.md describes them.
#pragma once

#include <functional>

#include "app/common/json.h"
#include "app/output/tables/table.h"

namespace beatscan {

class OutputFolder;
struct Config;
struct RunResult;

// Writes all files of a result into the folder (not yet committed), concurrently. Calls `page` with the table of beats
// once all files that a page is made from exist. Other threads still read `result` meanwhile, so `page` may change only
// `result.report`. If memory for a page runs out, the page is omitted; `page` itself reports that.
void write_result(OutputFolder& folder, const RunResult& result, const Config& config, const Json& evaluation,
                  TableForm form = TableForm::csv, const std::function<void(const Table& beats)>& page = {});

}  // namespace beatscan
