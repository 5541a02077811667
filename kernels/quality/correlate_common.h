// kernels/quality/correlate_common.h — what both back ends of correlate share.
#pragma once

#include "kernels/quality/beats.h"
#include "kernels/quality/eight.h"

namespace beatscan::quality {

// Returns the row of a beat of the window, or of the last ones before it.
BEATSCAN_INLINE_BOTH const BeatRow& row_of(const WindowBeats& window, std::int64_t beat) {
  const std::int64_t first = window.first_beat[0];
  return beat < first ? window.before[kBeatsAfter - (first - beat)] : window.rows[window.places[beat - first]];
}

// Returns the largest correlation over shifts of the later beat.
BEATSCAN_INLINE_BOTH float correlation(const BeatRow& earlier, const BeatRow& later) {
  const float* middle = earlier.values - kFirstShift;
  Eight sum = eight(0);
  for (int k = 0; k < kBeatValues; ++k) sum = sum + eight(middle[k] - earlier.mean) * load8(later.values + k);
  return most_of(sum * load8(later.scale)) * earlier.scale[-kFirstShift];
}

// Compares a beat with the six before it.
BEATSCAN_INLINE_BOTH void correlate_beat(const WindowBeats& window, std::int64_t beat, float* pairs) {
  const BeatRow& own = row_of(window, beat);
  for (int lag = 1; lag <= kBeatsAfter; ++lag)
    pairs[beat * kBeatsAfter + lag - 1] = beat < lag ? -1 : correlation(row_of(window, beat - lag), own);
}

}  // namespace beatscan::quality
