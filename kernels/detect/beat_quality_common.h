// kernels/detect/beat_quality_common.h — the limits that a block's samples are compared with, for both back ends.
#pragma once

#include "kernels/detect/beat_quality.h"
#include "kernels/runtime/portable.h"

namespace beatscan::detection {

struct BlockLimits {
  float near_min, near_max;
  BEATSCAN_HOST_DEVICE BlockLimits(float min, float max)
      : near_min(interpolate(min, max, kEndShare)), near_max(interpolate(max, min, kEndShare)) {}
};

}  // namespace beatscan::detection
