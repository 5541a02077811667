// kernels/waves/window.h — windows around the R-wave apex: shape and units. docs/waves.md specifies what this room
// computes, scripts/waves is the reference, and models/waves.json holds the trained net.
//
// A value is 4 ms. Dimension letters: N samples, K detected beats of the recording, B beats or windows of one call (a
// range of beats: the stage works on a range at a time), L leads. Arrays with K elements are of the whole recording,
// and calls on a range have the argument `first`, its first beat. A wrong shape throws ErrorKind::internal, here and in
// the other headers of this room.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan::waves {

inline constexpr int kValues = 320;       // of a window: 1.28 s
inline constexpr int kRValue = 125;       // the value at the R-wave apex
inline constexpr double kValuesHz = 250;  // values a second
inline constexpr double kFar = 9999;      // values to the neighbouring beat where there is none
inline constexpr int kMasks = 3;          // P, QRS, T
enum Mask : int { kMaskP, kMaskQrs, kMaskT };

inline constexpr double kLeastRateHz = 60, kMostRateHz = 5000;

// One lead of a recording.
struct LeadSignal {
  std::span<const float> samples;                       // [N] finite, N >= 1; what bridges the gaps is not used
  std::span<const std::int64_t> gap_firsts, gap_lasts;  // [G] first and last missing sample of each gap, ascending
  double rate_hz = 250;                                 // kLeastRateHz .. kMostRateHz
  double mv_per_unit = 1;                               // the samples' unit in mV; windows are in mV
};

// The places of the beats in a window, in values from its first, with fractions: of the beat before, of the beat
// itself (kRValue, unless the window was cut elsewhere), and of the beat behind.
struct Marks {
  double before, at, after;
};

// Computes the distances to the beats before and behind, in values; kFar at the ends of the recording.
//   r              [K] samples, ascending, with fractions
//   before, after  [K]
void rr_intervals(Cpu&, std::span<const double> r, double rate_hz, std::span<double> before, std::span<double> after);
void rr_intervals(Cuda&, std::span<const double> r, double rate_hz, std::span<double> before, std::span<double> after);

// marks[b] = {kRValue - before[b], kRValue, kRValue + after[b]}
//   before, after  [B] as from rr_intervals
//   marks          [B]
void beat_marks(Cpu&, std::span<const double> before, std::span<const double> after, std::span<Marks> marks);
void beat_marks(Cuda&, std::span<const double> before, std::span<const double> after, std::span<Marks> marks);

}  // namespace beatscan::waves
