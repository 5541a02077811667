// stages/quality/quality_options.h — options of the signal quality.
#pragma once

#include <string>

namespace beatscan {

// See quality.h for their meaning; `model` is that of the signal-quality index.
struct QualityOptions {
  double flat_range = 0.05;  // largest range of a flat block, in upper quartiles of the blocks' ranges
  double clip_s = 0.060;     // most time on plateaus at an end of the amplifier's range in a block that is not clipped
  double bridge_s = 0.020;   // longest gap that drops no beat and breaks no RR interval
  double pause_s = 30;       // longest flat stretch that may be a pause of the heart; a longer one is lead-off
  std::string model;         // path of a model of scripts/train_quality; empty: the one that is built in
};

}  // namespace beatscan
