// stages/quality/quality.h — options of the signal quality.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/detect/beats.h"
#include "kernels/signal/signal_part.h"
#include "stages/quality/signal_quality.h"

namespace beatscan {

struct QualityIndex;

// See quality.h for their meaning; `model` is that of the signal-quality index.
struct QualityOptions {
  double flat_range = 0.05;  // largest range of a flat block, in upper quartiles of the blocks' ranges
  double clip_s = 0.060;     // most time on plateaus at an end of the amplifier's range in a block that is not clipped
  double bridge_s = 0.020;   // longest gap that drops no beat and breaks no RR interval
  double pause_s = 30;       // longest flat stretch that may be a pause of the heart; a longer one is lead-off
  std::string model;         // path of a model of scripts/train_quality; empty: the one that is built in
};

// Returns the flat stretches of one lead that are lead-off: those that are longer than `longest_pause` samples, and
// those that begin or end away from the baseline around them by more than the typical range. All others may be pauses
// between two beats. The baseline is the median of the middles of blocks that are not flat: of up to kBaselineBlocks on
// either side, without the nearest ones, which the stretch may reach into.
//   quality       of one lead, with extents
//   last_samples  samples of the last block
std::vector<Stretch> off_stretches(const SignalQuality& quality, std::int64_t last_samples, double longest_pause);

inline constexpr int kBaselineBlocks = 5;

// Determines block by block where the signal can be trusted.
//
// The first of these that holds is the quality of a block:
//   flat     it spans at most flat_range times the upper quartile of the ranges of all blocks
//   clipped  it stays at an end of the amplifier's range for more than clip_s in all
//   noisy    by the signal-quality index, see mark_noise()
//   good
// A block is missing if more than half of its samples are, whatever the others are.

// Returns which leads still count without those that may be no ECG. All remain if otherwise none would.
//   natures, counting  [L]
std::vector<std::uint8_t> likely_leads(std::span<const SignalNature> natures, std::vector<std::uint8_t> counting);

// Returns the leads that may be an ECG, or all if none may.
std::vector<std::size_t> likely_places(std::span<const SignalQuality> leads);

// Classifies each block by its facts, except for noise.
SignalQuality classify_blocks(const std::vector<BlockFacts>& facts, std::int64_t block_samples,
                              const QualityOptions& options, double sample_rate_hz);

// Returns whether a gap is so short that it drops no beat: a straight line over it leaves QRS complexes readable.
bool is_bridged(std::int64_t first, std::int64_t last, double bridge_s, double sample_rate_hz);

// Keeps the gaps of a lead, and marks blocks of which more than half is missing. The gaps are given by first and last
// sample, ascending.
//   samples  of the recording: the last block extends to its end
void mark_missing(SignalQuality& quality, std::span<const std::int64_t> gap_firsts,
                  std::span<const std::int64_t> gap_lasts, std::int64_t samples);

// Returns the gaps that have samples in a stretch.
std::span<const Stretch> gaps_in(const SignalQuality& quality, const Stretch& stretch);

// Returns the number of missing samples in [first, last).
std::int64_t missing_samples(const SignalQuality& quality, std::int64_t first, std::int64_t last);

// Marks good blocks of a lead as noisy if P(good) of the index is below 0.5 in that of its blocks in which their middle
// lies. The index takes missing samples for lost signal, which is known: in a block with a gap that is not bridged, the
// condition is P(noise) above P(good) instead. Without an index there is no noise.
//   longest_bridge  samples of a gap that is bridged
void mark_noise(SignalQuality& quality, const QualityIndex& index, std::int64_t lead, std::int64_t samples,
                double longest_bridge);

// Marks noisy blocks of a lead, and of the best quality, as good if their middle lies in a pause of the heart, where
// the lead is as between beats: the index evaluates beats, and takes a pause for noise or lost signal.
void mark_pause(SignalQuality& best, SignalQuality& lead, const Stretch& pause);

// Returns the samples that are in a stretch of every list. Each list is ascending and disjoint.
std::vector<Stretch> common_stretches(const std::vector<std::vector<Stretch>>& lists);

// Combines the quality of several leads: in each block that of the best lead. For each fact of their natures it takes
// the value most typical of an ECG. Leads whose `counting` is 0 are left out; at least one must count.
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
