// app/result/files/multiqc.h — a result as a section of a MultiQC report
// (https://docs.seqera.io/multiqc/custom_content). `multiqc FOLDER` finds the files NAME_mqc.json below a folder and
// makes one table of those with the same section id.
#pragma once

#include <nlohmann/json.hpp>

#include "app/text/json.h"

namespace beatscan {

struct RunResult;

// Returns the row of one recording. A value that is not known has no cell.
Json multiqc_json(const RunResult& result);

}  // namespace beatscan
