// app/result/annotation_file.h — a result's beats as a WFDB annotation file, for LightWAVE, rdann and other tools of
// its kind.
#pragma once

#include <string>

#include "app/result/run_result.h"

namespace beatscan {

// MIT format (WFDB Programmer's Guide, annot(5)). A beat is N, or Q where it is anomalous, with its score as auxiliary
// text; a beat without a score is ?. The sampling rate, where it is known, stands in a note at the start.
std::string annotation_file(const RunResult& result);

}  // namespace beatscan
