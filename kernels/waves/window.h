// kernels/waves/window.h — windows around the R-wave apex: shape and units. docs/waves.md specifies what this folder
// computes, scripts/waves is the reference, and models/waves.json holds the trained net.
//
// A value is 4 ms. Dimension letters: N samples, K detected beats of the recording, B neighbouring beats or windows of
// one call (the stage works on a range of beats at a time), L leads. A wrong shape throws ErrorKind::internal, here and
// in the other headers of this folder.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"
#include "kernels/runtime/portable.h"

namespace beatscan::waves {

inline constexpr int kValues = 320;       // of a window: 1.28 s
inline constexpr int kRValue = 125;       // the value at the R-wave apex
inline constexpr double kValuesHz = 250;  // values a second
inline constexpr double kFar = 9999;      // values to the neighbouring beat if there is none
inline constexpr int kMasks = 3;          // P, QRS, T
enum Mask : int { kMaskP, kMaskQrs, kMaskT };
inline constexpr float kMinHeight = 0.001f;  // mV, of a local average (local_averages.h); such a window shows no beat

inline constexpr double kLeastRateHz = 60, kMostRateHz = 5000;
inline constexpr std::int64_t kBeatGrain = 128;  // beats or windows that are worth a thread of the CPU

// One lead of a recording.
struct LeadSignal {
  std::span<const float> samples;                       // [N] finite, N >= 1; what bridges the gaps is not used
  std::span<const std::int64_t> gap_firsts, gap_lasts;  // [G] first and last missing sample of each gap, ascending
  double rate_hz = 250;                                 // kLeastRateHz .. kMostRateHz
  double mv_per_unit = 1;                               // the samples' unit in mV; windows are in mV
};

// Looks up missing samples in the list of a lead's gaps.
struct LeadGaps {
  const std::int64_t* firsts;
  const std::int64_t* lasts;
  std::int64_t count;

  // Returns the first gap that does not end before sample i.
  BEATSCAN_HOST_DEVICE std::int64_t reaching(std::int64_t i) const { return first_not_below(lasts, count, i); }
  // Returns whether a sample of first .. last is missing.
  BEATSCAN_HOST_DEVICE bool any(std::int64_t first, std::int64_t last) const {
    const std::int64_t gap = reaching(first);
    return gap < count && firsts[gap] <= last;
  }
  // Returns whether sample i is missing, where `gap` is the first gap that may hold it and is moved on.
  BEATSCAN_HOST_DEVICE bool missing(std::int64_t i, std::int64_t& gap) const {
    while (gap < count && lasts[gap] < i) ++gap;
    return gap < count && firsts[gap] <= i;
  }
};

inline LeadGaps gaps_of(const LeadSignal& lead) {
  return {lead.gap_firsts.data(), lead.gap_lasts.data(), static_cast<std::int64_t>(lead.gap_firsts.size())};
}

// Makes the checks of a lead that all callers share.
void check_lead(const LeadSignal& lead);

// The places of the beats in a window, in values from its first, with fractions: of the previous beat, of the beat
// itself (kRValue, unless the window was cut elsewhere), and of the next beat.
struct Marks {
  double before, at, after;
};

// Computes the distances to the previous and the next beat, in values; kFar at the ends of the recording.
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
