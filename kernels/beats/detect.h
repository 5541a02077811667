// kernels/beats/detect.h — beats out of the envelope of the QRS band: candidates, their heights in local levels, and
// the rules that tell beats from T waves and find weak beats in long gaps. A rule looks at a bounded number of
// neighbours and at the decisions of the round before, so that none is a pass over the recording. Definition in numpy:
// tests/reference/detection.py.
//
//   N samples, L blocks of the level, C candidates, K beats; times in samples, heights in local levels
#pragma once

#include <cstdint>
#include <span>

#include "kernels/lists/bits.h"
#include "kernels/runtime/buffer.h"
#include "kernels/signal/signal_part.h"

namespace beatscan {

inline constexpr int kMaxReach = 16;  // of a local median, to either side

// is in the set  iff  x[i] > 0, x[i] > x[j] for i - radius <= j < i, x[i] >= x[j] for i < j <= i + radius,
//                     and edge <= i < N - edge.     words [words_for(N)]
void mark_candidates(Cpu&, std::span<const float> x, int radius, int edge, std::span<std::uint32_t> words);
void mark_candidates(Cuda&, std::span<const float> x, int radius, int edge, std::span<std::uint32_t> words);

struct LevelOptions {
  int block;  // samples; the last block takes up a remainder shorter than half a block
  int reach;  // blocks: the level is the median of the maxima of so many blocks on either side, at most kMaxReach
  double floor_local;  // it is at least this times the median of all positive maxima (flat stretches)
  double floor_peak;   // and this times the largest one that near (rounding noise)
};
inline std::int64_t level_blocks(std::int64_t n, int block) {
  const std::int64_t blocks = (n + block / 2) / block;
  return blocks > 0 ? blocks : 1;
}
// The largest x in each block, of which the last takes up the rest.  maxima [level_blocks(N, block)]
void block_maxima(Cpu&, std::span<const float> x, int block, std::span<float> maxima);
void block_maxima(Cuda&, std::span<const float> x, int block, std::span<float> maxima);

// Gaps as first and last missing sample of each, ascending.
struct Gaps {
  std::span<const std::int64_t> firsts, lasts;  // [G]
};
// The maxima of blocks that lie in a gap become 0: on the bridge there is rounding noise, and no signal.
//   n  samples of the recording
void forget_missing(Cpu&, const Gaps& gaps, std::int64_t n, int block, std::span<float> maxima);
void forget_missing(Cuda&, const Gaps& gaps, std::int64_t n, int block, std::span<float> maxima);

// The local level in each block of an x >= 0 with these maxima, positive.
//   maxima, levels  [L]
void local_levels(Cpu&, std::span<const float> maxima, const LevelOptions& options, std::span<float> levels);
void local_levels(Cuda&, std::span<const float> maxima, const LevelOptions& options, std::span<float> levels);

// heights[i] = x[candidates[i]] / level of its block, for the candidates in the part of x
void heights(Cpu&, const SignalPart& x, std::span<const float> levels, int block,
             std::span<const std::int64_t> candidates, std::span<float> heights);
void heights(Cuda&, const SignalPart& x, std::span<const float> levels, int block,
             std::span<const std::int64_t> candidates, std::span<float> heights);

// Candidates in time order, with their heights in the QRS band and in the second, higher one.
struct Candidates {
  std::span<const std::int64_t> at;          // [C]
  std::span<const float> height, sharpness;  // [C] in levels, and (to compare with each other) in the signal's unit
};

// A candidate is the T wave of an earlier one, which is at least `keep` high, by either of two rules:
//   soon   it follows within soon_samples, and its height is below soon_height times the earlier one's
//   late   it follows within late_samples, its sharpness is below late_sharpness times the earlier one's, and its
//   height
//          below late_height times the earlier one's
struct TWaveOptions {
  float keep;  // lowest height of a beat
  double soon_samples, late_samples;
  float soon_height;
  float late_sharpness, late_height;
};
// Marks the beats: candidates of height `keep` or more that are no T wave of one of the two candidates before.
//   beats  [words_for(C)]
void mark_beats(Cpu&, const Candidates& candidates, const TWaveOptions& options, std::span<std::uint32_t> beats);
void mark_beats(Cuda&, const Candidates& candidates, const TWaveOptions& options, std::span<std::uint32_t> beats);

struct SearchOptions {
  double gap;      // a gap is searched that is longer than this times the local median RR
  int reach;       // which is taken over so many intervals on either side, at most kMaxReach
  float height;    // lowest height of a beat that is found
  double soonest;  // samples: it is more than this
  double after;    // and this share of the median RR behind the beat before
  double before;   // and this share of it before the beat behind
  int candidates;  // so many candidates behind the gap's first beat are looked at
};
// One round of search-back: adds the highest fitting candidate of each long gap to the set.
//   kept   [K] indices of the candidates that are beats: the positions of the set
//   beats  [words_for(C)]
void search_back(Cpu&, const Candidates& candidates, std::span<const std::int64_t> kept, const SearchOptions& options,
                 std::span<std::uint32_t> beats);
void search_back(Cuda&, const Candidates& candidates, std::span<const std::int64_t> kept, const SearchOptions& options,
                 std::span<std::uint32_t> beats);

// The checks that both back ends make.
void check_candidates(std::int64_t n, std::int64_t words, int radius, int edge);
void check_maxima(std::int64_t n, int block, std::int64_t maxima);

}  // namespace beatscan
