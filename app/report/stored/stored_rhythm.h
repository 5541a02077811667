// app/report/stored/stored_rhythm.h — what the episodes of a stored result follow from (app/output/rhythm_state.h).
#pragma once

#include <cstdint>
#include <vector>

#include "stages/rhythm/episode.h"
#include "stages/rhythm/rhythms.h"

namespace beatscan {

struct StoredResult;

// [K] beats and the K - 1 intervals between them, as RhythmBeats and SignalEvidence have them.
struct StoredRhythm {
  std::vector<double> r_peaks;  // samples
  std::vector<BeatClass> beat_classes;
  std::vector<Quality> quality;
  std::vector<std::uint8_t> broken, paced;
  std::vector<float> posteriors;
  SignalEvidence evidence;
  Rhythms rhythms;
  double sample_rate_hz = 0, samples = 0;

  std::int64_t beats() const { return std::ssize(r_peaks); }
  RhythmBeats view() const {
    return {.r_peaks = r_peaks,
            .beat_classes = beat_classes,
            .quality = quality,
            .broken = broken,
            .sample_rate_hz = sample_rate_hz,
            .paced = paced,
            .posteriors = posteriors};
  }
};

// Reads the arrays of a result with a rhythm. Throws ErrorKind::input where it has none, is of an earlier version, or a
// file is damaged.
StoredRhythm read_stored_rhythm(const StoredResult& result);

}  // namespace beatscan
