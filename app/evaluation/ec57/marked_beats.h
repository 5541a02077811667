// app/evaluation/ec57/marked_beats.h — an annotation file as ANSI/AAMI EC57 reads it: labelled beats, shutdown, and
// ventricular flutter or fibrillation.
//
// The tables of this folder are those of WFDB's programs, which are the reference implementations of the standard:
// `bxb` (beat_by_beat.h), `rxr` (run_by_run.h), `epicmp` and `mxm` (episodes_and_rates.h), `sumstats` (tables.h).
// Source of the definitions: G. Moody, Evaluating ECG Analyzers, and the pages of these programs (WFDB Applications
// Guide).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "app/evaluation/annotations.h"

namespace beatscan::ec57 {

inline constexpr double kLearning_s = 300;
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 4;  // differences do not overflow

// What is compared, in samples. Both ends are included.
struct Period {
  std::int64_t start = 0, end = kNever;
  std::int64_t match_window = 0;
  double sample_rate_hz = 0;
};

// Returns the period after five minutes of learning. A match window is rounded to the nearest sample.
Period period_of(double sample_rate_hz, std::int64_t end, double tolerance_ms);

// N, S, V, F or Q; nullopt if the symbol is not a beat. Unlike class_of, escape beats (e, j) are S.
//   N = N L R B, S = A a J S e j n, V = V E r, F = F, Q = / f Q ?
std::optional<char> label_of(char symbol);

// Returns whether `~` of this subtype marks the start of shutdown: both of the bits 4 and 5 are set.
constexpr bool is_unreadable(int subtype) { return (subtype & 0x30) == 0x30; }

struct LabelledBeat {
  std::int64_t sample;
  char label;           // N, S, V, F or Q
  std::int64_t rr = 0;  // from the previous beat; 0 without one, and if shutdown or fibrillation begins between
};

struct Stretch {
  std::int64_t start, end;  // both included
};

struct MarkedBeats {
  std::vector<LabelledBeat> beats;
  std::vector<Stretch> shutdown, fibrillation;  // one without an end lasts to kNever
};

// Reads annotations in time order. What stands from [ to ] is skipped. Shutdown lasts to the next annotation, if it is
// `~` that marks its end. Otherwise, as in the AHA database, the mark stands within the shutdown, which lasts from a
// match window after the previous beat or ] to a match window before the next annotation.
MarkedBeats marked_beats(std::span<const Annotation> annotations, std::int64_t match_window);

}  // namespace beatscan::ec57
