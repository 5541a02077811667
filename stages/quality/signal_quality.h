// stages/quality/signal_quality.h — the quality of a signal, block by block.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/detect/quality_class.h"
#include "kernels/signal/signal_part.h"

namespace beatscan {

// Facts about the whole signal that distinguish an ECG from another signal.
struct SignalNature {
  // The QRS band's level over the range of the signal, in the blocks where it is highest: the 0.9 quantile. Records
  // have 0.05 to 0.27; a triangle or a sine of up to 3 Hz has less than 0.04. Blocks with a stretch at an end of the
  // amplifier's range do not count. It is 1 where none is left.
  double qrs_share = 1;
  // Share of the moving blocks that stay at two levels: four fifths of their time within a fifth of the range of
  // either end, and a tenth at least at each. A block that stays at one end only does not count. Records have at most
  // 0.11, a square wave 1.
  double two_levels = 0;
  // Largest share of time that the signal stays at its smallest or its largest value, if that is its baseline.
  double rests_at_end = 0;
  // Share of the moving blocks whose samples are spread evenly over their range: in the fifth at either end lies about
  // a fifth of them. A sawtooth and a triangle have 1, and records at most 0.3: an ECG is mostly near one value.
  double even = 0;

  static constexpr double kLeastQrsShare = 0.04, kMostTwoLevels = 0.5, kMostEven = 0.6;  // of what may be an ECG
  bool may_be_ecg() const { return qrs_share >= kLeastQrsShare && two_levels <= kMostTwoLevels && even <= kMostEven; }
};

// The smallest and the largest sample of a block.
struct BlockExtent {
  float min, max;
};

struct SignalQuality {
  std::vector<Quality> blocks;
  std::int64_t block_samples = 1;  // length of a block; the last one is up to half as long again
  SignalNature nature = {};
  std::vector<BlockExtent> extents = {};  // of each block, in one lead; none for several leads joined
  double usual_range = 0;                 // upper quartile of the ranges of the blocks that move; 0 for several leads
  std::vector<Stretch> off = {};          // flat stretches of lead-off (quality.h), in one lead
  std::vector<Stretch> drop_outs = {};    // LeadSilence::drop_outs, in one lead
  std::vector<Stretch> gaps = {};         // missing samples; of several leads those that all miss
};

}  // namespace beatscan
