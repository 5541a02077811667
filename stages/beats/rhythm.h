// stages/beats/rhythm.h — how early a beat comes, and how long the pause behind it is, against the beats around it.
#pragma once

#include <cstdint>
#include <vector>

#include "stages/beats/beat_list.h"

namespace beatscan {

struct RhythmOptions {
  int reference_beats = 150;        // the reference RR interval is taken over so many intervals on either side:
  double reference_quantile = 0.6;  // this quantile, so that runs of early beats do not pull it down
  double cap = 6;                   // most that either term gives
  double prev_weight = 1;           // of a beat's being early
  double next_weight = 0.5;         // and of the pause behind it
  double typical_spread = 0.05;  // of log RR; half of what deviations are measured by, the recording's own is the other
  double regular = 0.15;         // a beat is regular if |log(RR / local median)| is at most this before and behind
};

// Where an interval is not known (at the ends, over a gap), ratios are NaN and its term is 0.
//   score = prev_weight clip(z(-log prev_ratio), 0, cap) + next_weight clip(z(log next_ratio), 0, cap)
//   z(x)  = (x - median over the regular beats) / (mean of the trusted beats' 1.4826 MAD and typical_spread)
template <class Context>
struct RhythmBuffers {
  Buffer<float, Context> prev_ratio, next_ratio;  // [K] RR before (behind) the beat over the reference
  Buffer<float, Context> score;                   // [K]
  Buffer<std::uint8_t, Context> regular;          // [K] trusted, both intervals known and near the local median; all
                                                  // trusted beats, where those are fewer than kFewRegular
};
inline constexpr std::int64_t kFewRegular = 50;  // fewer do not stand for a recording

// The same on the host.
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

template <class Context>
RhythmBuffers<Context> rhythm_of(Context&, const BeatBuffers<Context>& beats, const RhythmOptions& options);

}  // namespace beatscan
