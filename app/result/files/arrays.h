// app/result/files/arrays.h — the large arrays of a result, for other programs: arrays/*.npy.
#pragma once

namespace beatscan {

class OutputFolder;
struct RunResult;

// Writes the arrays of a result that has some.
void write_arrays(OutputFolder& folder, const RunResult& result);

}  // namespace beatscan
