// app/output/files/arrays.h — the large arrays of a result, for other programs: arrays/*.npy.
#pragma once

namespace beatscan {

class OutputFolder;
struct RunResult;

// Writes the arrays of a result, if it has any.
void write_arrays(OutputFolder& folder, const RunResult& result);

}  // namespace beatscan
