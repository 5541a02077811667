// kernels/rhythm/quiet_intervals.h — the envelope of intervals, in which a silent one shows no beat, and their mains
// and drift.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/detect/beats.h"
#include "kernels/runtime/context.h"

namespace beatscan {

// Finds the long RR intervals without a sign of a beat in one lead.
//
//   usual   median of the envelope at the `beats` R peaks up to the interval, and at as many from its end on
//   within  largest envelope from `beside` samples after the first R peak to `beside` samples before the second
//   other   median of `within` over the other intervals of these beats
// The envelope at an R peak is the largest of the part that holds it and of the two parts beside that one.

enum class IntervalSign : std::uint8_t {
  hidden,  // a block from R peak to R peak is noisy, clipped or missing, or within and other >= share * usual: what is
           // there lies between all beats, so the interval is undetermined
  beat,    // within >= share * usual > other
  none
};

inline constexpr int kMostQuietBeats = 16;  // on either side

struct QuietRule {
  double beside;  // samples, 0 or more
  float share;
  int beats;  // 1 .. kMostQuietBeats
};
struct EnvelopeOfLead {
  std::span<const float> parts;     // [P] largest values of the envelope's parts, see kernels/signal/parts.h
  int width;                        // samples of a part
  std::span<const Quality> blocks;  // of block_samples each, the last up to the end
  std::int64_t block_samples;
};

// Looks at some intervals.
//   r_peaks  [K] samples, ascending
//   asked    [A] the interval from r_peaks[asked[a]] to the next R peak; -1 for the one from the start of the recording
//            to the first R peak, and K - 1 for the one from the last R peak to the end
//   found    [A]
// A wrong shape throws ErrorKind::internal.
void quiet_intervals(Cpu&, std::span<const double> r_peaks, std::span<const std::int64_t> asked,
                     const EnvelopeOfLead& lead, const QuietRule& rule, std::span<IntervalSign> found);
void quiet_intervals(Cuda&, std::span<const double> r_peaks, std::span<const std::int64_t> asked,
                     const EnvelopeOfLead& lead, const QuietRule& rule, std::span<IntervalSign> found);

// How restless the signal is in some long RR intervals, and in the intervals around them. An electrode that came off
// picks up mains interference and drifts. A heart that pauses changes neither.
//
//   core   of an interval: from `beside` samples after its first R peak to as many before its second; of an asked one
//          from `behind` samples on. Interval -1 reaches from the start of the recording to the first R peak, and
//          interval K - 1 from the last to the end: they have no R peak, and no margin, there
//   mains  mains interference: mean of |x[n - step] - 2 x[n] + x[n + step]| over a core
//   drift  of an asked interval: range of the means of `piece` samples each in its core
//   mains_around  median over the cores of the `beats` intervals on either side; NaN where none is 4 steps long
//   drift_around  the larger range of the means of the cores before, and of those after; NaN where there are not two

struct IntervalNoise {
  float mains, mains_around, drift, drift_around;
};

inline constexpr int kMostNoiseBeats = 16;  // on either side

struct IntervalNoiseRule {
  double beside, behind;     // samples, 0 or more
  std::int64_t step, piece;  // samples, 1 or more
  int beats;                 // 1 .. kMostNoiseBeats
};

// Looks at some intervals of one lead.
//   samples  [N]
//   r_peaks  [K] samples, ascending
//   asked    [A] -1 .. K - 1
//   found    [A]
// A wrong shape throws ErrorKind::internal.
void interval_noise(Cpu&, std::span<const float> samples, std::span<const double> r_peaks,
                    std::span<const std::int64_t> asked, const IntervalNoiseRule& rule, std::span<IntervalNoise> found);
void interval_noise(Cuda&, std::span<const float> samples, std::span<const double> r_peaks,
                    std::span<const std::int64_t> asked, const IntervalNoiseRule& rule, std::span<IntervalNoise> found);

}  // namespace beatscan
