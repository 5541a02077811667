// stages/quality/quality.h — tells block by block where the signal can be trusted.
//
// The first of these that holds is the quality of a block:
//   flat     it spans at most flat_range times the upper quartile of the ranges of all blocks
//   clipped  it stays at an end of the amplifier's range for more than clip_s in all
//   noisy    its envelope is above noisy_rest times the local level for more than noisy_share of its time, or between
//            noisy_low and noisy_high times the level for more than noisy_between of the time: in this block and its
//            neighbours together, and for two thirds of that share in this block
//   good
// A block of which more than half is missing is called missing, whatever the rest. Good blocks become noisy later where
// a lead hums, see mark_hum(), or does not show the beats, see mute_leads.h.
//
// A QRS complex quickly passes the heights between noisy_low and noisy_high, and noise lingers there. So a fast rhythm
// does not count as noise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/beats/quality.h"
#include "kernels/signal/signal_part.h"

namespace beatscan {

struct QualityOptions {
  double flat_range = 0.05;  // largest range of a flat block, in upper quartiles of the blocks' ranges
  double clip_s = 0.060;     // most time on plateaus at an end of the amplifier's range in a block that is not clipped
  double noisy_rest = 0.35;  // height in local levels above which the envelope is not at rest
  double noisy_share = 0.5;  // largest share of time not at rest; beats alone have 0.1 to 0.3, white noise 0.75 to 1
  double noisy_low = 0.30, noisy_high = 0.60;  // heights in local levels between which noise lingers
  double noisy_between = 0.24;                 // largest share of time between them; beats alone have 0.04 to 0.15
  double bridge_s = 0.020;                     // longest gap that drops no beat and breaks no RR interval
  double pause_s = 30;  // longest flat stretch that may be a pause of the heart; in a longer one an electrode is off
};

// Facts about the whole signal that tell an ECG from another signal.
struct SignalNature {
  // The QRS band's level over the range of the signal, in the blocks where it is highest: the 0.9 quantile. Records
  // have 0.05 to 0.27; a triangle or a sine of up to 3 Hz has less than 0.04. Blocks with a stretch at an end of the
  // amplifier's range do not count. It is 1 where none is left.
  double qrs_share = 1;
  // Share of the moving blocks that stay at two levels: four fifths of their time within a fifth of the range of
  // either end, and a tenth at least at each. A block that rests at one end alone does not count. Records have at most
  // 0.11, a square wave 1.
  double two_levels = 0;
  // Largest share of time that the signal rests at its smallest or its largest value, where that is its baseline.
  double rests_at_end = 0;
  // Share of the moving blocks whose samples are spread evenly over their range: in the fifth at either end lies about
  // a fifth of them. A sawtooth and a triangle have 1, and records at most 0.3: an ECG rests near one value.
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
  std::vector<Stretch> off = {};          // flat stretches in which an electrode is off (flat.h), in one lead
  std::vector<Stretch> drop_outs = {};    // LeadSilence::drop_outs, in one lead
};

// Returns which leads still count if those are left out that may be no ECG. All stay where that would leave none.
//   natures, counting  [L]
std::vector<std::uint8_t> likely_leads(std::span<const SignalNature> natures, std::vector<std::uint8_t> counting);

// Returns the leads that may be an ECG, or all if none may.
std::vector<std::size_t> likely_places(std::span<const SignalQuality> leads);

// Returns the heights that block_facts() compares the envelope with.
EnvelopeHeights heights_of(const QualityOptions& options);

// Tells each block's quality from its facts.
SignalQuality classify_blocks(const std::vector<BlockFacts>& facts, std::int64_t block_samples,
                              const QualityOptions& options, double sample_rate_hz);

// Tells whether the gap is bridged in silence: a straight line over it leaves QRS complexes readable.
bool is_bridged(std::int64_t first, std::int64_t last, double bridge_s, double sample_rate_hz);

// Marks blocks of which more than half is missing. The gaps are given by first and last sample, ascending.
//   samples  of the recording: the last block goes on to its end
void mark_missing(SignalQuality& quality, std::span<const std::int64_t> gap_firsts,
                  std::span<const std::int64_t> gap_lasts, std::int64_t samples);

// Marks good blocks of a lead that lie within its stretches of hum as noisy. They become noisy in `best`, too, where no
// lead that may be an ECG is better.
//   stretches  [L] of each lead, in samples
void mark_hum(SignalQuality& best, std::span<SignalQuality> leads, std::span<const std::vector<Stretch>> stretches);

// Joins the quality of several leads: in each block that of the best lead. Of each fact of their natures it takes the
// one that is most like an ECG. Leads whose `counting` is 0 are left out; one at least must count.
SignalQuality best_quality(std::span<const SignalQuality> leads, std::span<const std::uint8_t> counting);

// A stretch of blocks of one quality: samples [first, last).
struct QualityStretch {
  Quality kind;
  std::int64_t first, last;
};

// Returns the stretches of a recording of `samples` samples that are not good. Neighbouring blocks of one quality are
// one stretch.
std::vector<QualityStretch> poor_stretches(const SignalQuality& quality, std::int64_t samples);

}  // namespace beatscan
