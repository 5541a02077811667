// app/output/files/wave_annotations.h — a result's P, QRS and T waves as a WFDB annotation file, in the form of the QT
// Database and of LUDB.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace beatscan {

struct RunResult;

enum class WaveKind : unsigned { p, qrs, t };

// A wave over all leads, in samples. onset <= peak <= end.
struct MarkedWave {
  WaveKind kind;
  std::int64_t onset, peak, end;
};

// Returns all waves of a result in the order of their peaks, within the recording. Overlaps are removed: if one wave
// ends after the onset of the next, they are split in the middle.
std::vector<MarkedWave> marked_waves(const RunResult& result);

// Returns the file's bytes: ( p ), ( N ) and ( t ) at onset, peak and end of each wave. The field `num` of both
// brackets is 0 for P, 1 for QRS and 2 for T. A note at the start specifies the sampling rate.
std::string wave_annotations(const RunResult& result);

}  // namespace beatscan
