// app/result/files/arrays.h — the large arrays of a result, for other programs: arrays/*.npy.
#pragma once

#include "app/result/output_folder.h"
#include "app/result/run_result.h"

namespace beatscan {

// Writes the arrays of a result that has some.
void write_arrays(OutputFolder& folder, const RunResult& result);

}  // namespace beatscan
