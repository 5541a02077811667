// stages/reference/published_options.h — options of the reference pipeline.
#pragma once

#include <cstdint>

#include "stages/common/duration.h"

namespace beatscan {

enum class Precision { float32, float64 };

// See filter.h for their meaning.
struct FilterOptions {
  Duration width = seconds(0.12);  // length of the wavelet: 30 samples at the published pipeline's 250 Hz
  bool centred = true;  // whether a peak of the response lies where the signal's does; makes the wavelet's length odd
  Precision precision = Precision::float32;  // both the transform and the response have it
};

// See segment.h for their meaning.
struct SegmentOptions {
  // A peak is the largest value of a window of this length around it, so beats are at least half a window apart.
  Duration window = seconds(0.72);
};

// See embed.h for their meaning.
struct EmbedOptions {
  Duration min_length = seconds(0.4);    // shorter candidates are dropped
  Duration max_length = seconds(1.024);  // longer candidates are dropped
  Duration row_span = seconds(1.024);    // time that a row covers: 256 points, 4 ms apart
  std::int64_t row_points = 256;         // D
};

}  // namespace beatscan
