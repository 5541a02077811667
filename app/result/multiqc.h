// app/result/multiqc.h — a result as a section of a MultiQC report (https://docs.seqera.io/multiqc/custom_content):
// `multiqc FOLDER` finds the files NAME_mqc.json below a folder and makes one table of all that have the same section
// id.
#pragma once

#include "app/config/config.h"
#include "app/result/run_result.h"

namespace beatscan {

// One recording's row. What is not known has no cell.
Json multiqc_json(const RunResult& result);

}  // namespace beatscan
