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
#include "stages/quality/signal_quality.h"

namespace beatscan {

struct QualityOptions;

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
