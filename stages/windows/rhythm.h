// stages/windows/rhythm.h — scores how premature each beat is, and how long the pause after it is, against the beats
// around it.
//
//   prev_ratio = RR interval before the beat / reference        next_ratio = RR interval after it / reference
//   score      = prev_weight clip(z(-log prev_ratio), 0, cap) + next_weight clip(z(log next_ratio), 0, cap)
// The score of a beat after a pause is at least pause_weight clip(z(log prev_ratio), 0, cap). A pause is an RR
// interval of at least pause_s and pause_ratio times the reference, which is a pause by BeatBuffers::pauses.
//   z(x)       = (x - median over the regular beats) / (mean of the trusted beats' 1.4826 MAD and typical_spread)
// The reference is a quantile of the RR intervals around the beat. The score is the weighted mean of two such scores:
// one against reference_beats intervals on either side, and one against the local_beats nearest. An interval is not
// known at the ends of the recording and over a gap: then its ratio is NaN and its term is 0.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/runtime/buffer.h"

namespace beatscan {

struct RhythmOptions;
template <class Context>
struct BeatBuffers;

// The fewest regular beats that represent a recording: their number, and their share of the trusted beats.
inline constexpr std::int64_t kFewRegular = 50;
inline constexpr double kLeastRegular = 0.1;
inline constexpr double kAlternating = 0.1;  // bigeminy has .01 to .07, atrial fibrillation .2 and more

// Returns whether so many beats on time represent all trusted ones: four and a quarter of them are enough.
inline bool are_enough_on_time(std::int64_t on_time, std::int64_t trusted) {
  return on_time >= 4 && 4 * on_time >= trusted;
}

// The rhythm of K beats in the context's memory. A beat is regular if it is trusted, both its intervals are known, and
// both are near the local median. If there are fewer than kFewRegular or kLeastRegular such beats, all trusted ones are
// regular. In an endless bigeminy half of these are extrasystoles. So if intervals alternate, premature beats are left
// out if enough others remain: those whose interval before is shorter than the one after by more than `regular`.
// Intervals alternate if the median of |RR(i) - RR(i - 2)| / RR(i) is below kAlternating.
template <class Context>
struct RhythmBuffers {
  Buffer<float, Context> prev_ratio, next_ratio;  // [K] RR interval before (after) the beat / reference over
                                                  // reference_beats intervals
  Buffer<float, Context> score;                   // [K]
  Buffer<std::uint8_t, Context> regular;          // [K] 1 for regular beats
  bool few_regular = false;                       // regular beats are too few, and others replace them
};

// The rhythm of K beats on the host.
struct Rhythm {
  std::vector<float> prev_ratio, next_ratio, score;
  std::vector<std::uint8_t> regular;
};

template <class Context>
Rhythm to_host(Context& context, const RhythmBuffers<Context>& rhythm) {
  Rhythm host;
  std::tie(host.prev_ratio, host.next_ratio, host.score, host.regular) =
      to_hosts(context, rhythm.prev_ratio, rhythm.next_ratio, rhythm.score, rhythm.regular);
  return host;
}

// Computes the rhythm.
template <class Context>
RhythmBuffers<Context> rhythm_of(Context&, const BeatBuffers<Context>& beats, const RhythmOptions& options,
                                 double sample_rate_hz);

}  // namespace beatscan
