// app/result/annotation_file.h — a result's beats as a WFDB annotation file, for tools such as LightWAVE and rdann.
#pragma once

#include <string>

#include "app/result/run_result.h"

namespace beatscan {

// Returns the file's bytes in MIT format (WFDB Programmer's Guide, annot(5)). A beat is N, or Q where it is abnormal,
// with its score as auxiliary text; a beat without a score is ?. A note at the start tells the sampling rate, where it
// is known.
std::string annotation_file(const RunResult& result);

}  // namespace beatscan
