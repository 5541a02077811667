// app/output/rhythm_state.h — what the episodes of a result follow from, as small arrays in report/: `revise` reads
// them and finds the episodes of corrected beats without the signal.
//
//   r_peaks          [K] double, samples
//   beat_state       [K][8] float, the columns below; those of intervals are of the interval to the next beat
//   rhythm_segments  [R][4] double: start_s, end_s, state, confidence of what the rhythm model recognises
//   evidence         [E][6] double: start and end in samples, label, beats, confidence, quality of what the signal
//   shows
// The names of the model's states, and the two ends of the recording, are in summary.json's `rhythm`.
#pragma once

#include <nlohmann/json.hpp>

#include "app/common/json.h"

namespace beatscan {

class OutputFolder;
struct RunResult;

// The columns of beat_state.
enum BeatStateColumn {
  kStatePosteriors,  // of N, S, V and of a false detection
  kStateBroken = 4,  // 1: the interval is not known
  kStateSilent,      // 1: no sign of a beat in it
  kStateCertain,     // how certain a pause is in it
  kStatePaced,       // 1: the ventricles are paced
  kStateColumns
};

inline constexpr int kSegmentColumns = 4, kEvidenceColumns = 6;

// Returns the `rhythm` of summary.json; null where there is no rhythm.
Json rhythm_json(const RunResult& result);

// Writes the arrays of a result with a rhythm.
void write_rhythm_state(OutputFolder& folder, const RunResult& result);

}  // namespace beatscan
