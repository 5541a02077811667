// stages/rhythm/rhythm_results.h — the episodes, the heart rate variability and the hours of a recording.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "stages/rhythm/episode.h"

namespace beatscan {

// A part of the recording, in samples.
struct TimeSpan {
  double start = 0, end = 0;
};

// Flags of K - 1 intervals.
using IntervalFlags = std::vector<std::uint8_t>;

// The episodes of a recording, and for how much of it AFIB can be assessed.
struct Episodes {
  std::vector<Episode> list;          // by start; of equal starts the longer comes first
  std::vector<TimeSpan> af_assessed;  // where AFIB can be assessed
  IntervalFlags hidden, linked;       // [K - 1] in VF or VFL; known and of a likely length
};

// A measure has no value where it cannot be computed: SDNN of fewer than two NN, RMSSD without a pair, LF without a
// window.
struct Hrv {
  std::int64_t intervals = 0;  // NN
  double used_share = 0;       // of all intervals
  double nn_s = 0;             // the sum of NN
  std::int64_t windows = 0;    // of the spectrum
  std::int64_t pairs = 0;
  std::int64_t jumps = 0;  // pairs that differ by more than 20 % of the first interval
  std::optional<double> mean_nn_ms, sdnn_ms, rmssd_ms, pnn50_percent, lf_ms2, hf_ms2;
};

struct HourFacts {
  double from_s = 0;
  std::int64_t beats = 0;
  std::array<std::int64_t, kBeatClassCount> beat_classes{};  // beats of each class, in the order of BeatClass
  std::optional<double> rate_bpm;     // by the median of the linked intervals that end in the hour
  double afib_s = 0, assessed_s = 0;  // of atrial fibrillation, and of the signal in which it can be assessed
};

// Seconds of atrial fibrillation in a recording, and of the signal in which it can be assessed.
struct AfBurden {
  double afib_s = 0, assessed_s = 0;
};

struct RhythmFindings {
  Episodes episodes;
  AfBurden af;
  Hrv hrv;
  std::vector<HourFacts> hours;
};

}  // namespace beatscan
