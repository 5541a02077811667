// stages/episodes/flutter.h — finds ventricular flutter and fibrillation: no beats, but large waves of 2.5 to 9 Hz.
//
// Each lead is judged in blocks of block_s, each by itself and half a block on either side:
//   rest      the envelope of the QRS band is above `rest` times its maximum for more than rest_share of the time
//   leakage   how little the signal differs from a sine, see kernels/signal/leakage.h
//   hz        the mean frequency, by the leakage's lag
//   range     of the block, over the upper quartile of the ranges of the lead's blocks
// A block is sure in a lead if leakage and rest say so, hz is from slowest_hz to fastest_hz and the range above
// least_range. It may be one by the weaker limits leakage_more and rest_more, from any frequency on.
//
// The leads that are not flat or missing vote. A block may be one if it may be one in most of them, or in one of two,
// and no other lead denies it: one that shows beats, or one that is good and comes to rest there and in the blocks
// around. So noise in a lead hides neither beats nor fibrillation of another. The block is sure if it is sure in all
// leads in which it may be one.
//
// A block that may be one counts within reach_blocks of a sure one. Counted blocks with at most join_blocks others
// between them are one episode, if of its sure blocks
//   - least_blocks are sure with all leads that vote, or
//   - least_blocks, and four at least, are sure, and the confidence is 0.2 at least.
// It is flutter where the median leakage of its sure blocks is below flutter_leakage and their median frequency below
// flutter_hz; else fibrillation. Its confidence is the share of its blocks that are sure, each counted by the share of
// the leads that show it.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "stages/episodes/episode.h"

namespace beatscan {

struct FlutterOptions;
struct SignalQuality;

// The judgement of a block, in one lead or in all.
struct FlutterBlock {
  bool sure = false, may_be = false;
  double leakage = 1, hz = 0;  // of several leads: the means of those that may be one; told where may_be holds
  double share = 1;            // of the leads that vote, those that may be one
  bool comes_to_rest = false;  // of one lead: by its envelope, or because its range is small
};

// Judges the blocks of one lead.
//   samples  [N]
//   parts    the lead's EnvelopeProfile, of `width` samples each
template <class Context>
std::vector<FlutterBlock> flutter_blocks(Context&, std::span<const float> samples, std::span<const float> parts,
                                         int width, double usual_range, double sample_rate_hz,
                                         const FlutterOptions& options);

// Returns the length of a block in samples, and how many of them N samples have; the last may be longer or shorter.
std::int64_t flutter_block_samples(double sample_rate_hz, const FlutterOptions& options);
std::int64_t flutter_block_count(std::int64_t samples, std::int64_t block);

// Says whether a lead shows beats around a block. It is asked only where the leads differ.
using ShowsBeats = std::function<bool(std::size_t lead, std::int64_t block)>;

// Joins the leads: [L][B], and the quality of each lead.
std::vector<FlutterBlock> join_flutter_leads(const std::vector<std::vector<FlutterBlock>>& leads,
                                             const std::vector<SignalQuality>& quality, std::int64_t block,
                                             const ShowsBeats& shows_beats);

// Returns the episodes, of blocks of `block` samples, up to the end of the recording at `samples`. Beats and quality of
// the episodes are left to the caller.
std::vector<Episode> flutter_episodes(std::span<const FlutterBlock> blocks, std::int64_t block, std::int64_t samples,
                                      const FlutterOptions& options);

}  // namespace beatscan
