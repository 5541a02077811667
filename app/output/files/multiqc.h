// app/output/files/multiqc.h — a result as a section of a MultiQC report
// (https://docs.seqera.io/multiqc/custom_content). `multiqc FOLDER` finds the files NAME_mqc.json below a folder and
// joins those with the same section id into one table.
#pragma once

#include <nlohmann/json.hpp>

#include "app/common/json.h"

namespace beatscan {

struct RunResult;

// Returns the row of one recording. An unknown value has no cell.
Json multiqc_json(const RunResult& result);

}  // namespace beatscan
