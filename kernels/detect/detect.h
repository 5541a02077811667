// kernels/detect/detect.h — finds beats in the envelope of the QRS band.
//
// It finds candidates, measures their heights in local levels, and applies rules that distinguish beats from T waves
// and find weak beats in long gaps. A rule reads a bounded number of neighbours and the decisions of the previous
// round, so that no rule is a sequential pass over the recording. tests/reference/detection.py defines all of it in
// numpy.
//
//   N samples, B blocks of the level, C candidates, K beats; times in samples, heights in local levels
// A wrong shape or a reach above kMaxReach throws ErrorKind::internal.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "kernels/lists/bits.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/portable.h"
#include "kernels/signal/signal_part.h"

namespace beatscan {

inline constexpr int kMaxReach = 16;  // blocks or intervals on either side that a local median is taken over

// Marks the candidates. Sample i is a candidate  iff  x[i] > 0, x[i] > x[j] for i - radius <= j < i,
// x[i] >= x[j] for i < j <= i + radius, and edge <= i < N - edge.
//   words  [words_for(N)]
void mark_candidates(Cpu&, std::span<const float> x, int radius, int edge, std::span<std::uint32_t> words);
void mark_candidates(Cuda&, std::span<const float> x, int radius, int edge, std::span<std::uint32_t> words);

// The local level of a block is the median of the positive maxima of the blocks around it, and not below either floor.
struct LevelOptions {
  int block;           // samples; the last block takes up a remainder shorter than half a block
  int reach;           // blocks on either side that the median is taken over, at most kMaxReach
  double floor_local;  // share of the median of all positive maxima, for flat stretches
  double floor_peak;   // share of the largest maximum within reach, for rounding noise
};
inline std::int64_t level_blocks(std::int64_t n, int block) {
  const std::int64_t blocks = (n + block / 2) / block;
  return blocks > 0 ? blocks : 1;
}
// Finds the largest x in each block; the last block reaches to the end.
//   maxima  [B], B = level_blocks(N, block)
void block_maxima(Cpu&, std::span<const float> x, int block, std::span<float> maxima);
void block_maxima(Cuda&, std::span<const float> x, int block, std::span<float> maxima);

// The first and the last missing sample of each gap, ascending.
struct Gaps {
  std::span<const std::int64_t> firsts, lasts;  // [G]
};
// Sets the maxima of blocks that lie in a gap to 0, so that no level is taken of them: the bridge over a gap has
// rounding noise and no signal.
//   n  samples of the recording
void forget_missing(Cpu&, const Gaps& gaps, std::int64_t n, int block, std::span<float> maxima);
void forget_missing(Cuda&, const Gaps& gaps, std::int64_t n, int block, std::span<float> maxima);

// Computes the local level of each block, which is positive, from the maxima of an x >= 0.
//   maxima, levels  [B]
void local_levels(Cpu&, std::span<const float> maxima, const LevelOptions& options, std::span<float> levels);
void local_levels(Cuda&, std::span<const float> maxima, const LevelOptions& options, std::span<float> levels);

// heights[i] = x[candidates[i]] / level of its block, for each candidate in the part of x; others stay as they are.
void heights(Cpu&, const SignalPart& x, std::span<const float> levels, int block,
             std::span<const std::int64_t> candidates, std::span<float> heights);
void heights(Cuda&, const SignalPart& x, std::span<const float> levels, int block,
             std::span<const std::int64_t> candidates, std::span<float> heights);

// Candidates in time order.
struct Candidates {
  std::span<const std::int64_t> at;  // [C] samples
  std::span<const float> height;     // [C] in the QRS band, in levels
  std::span<const float> sharpness;  // [C] height in a second, higher band, in the signal's unit
};

// A candidate is the T wave of an earlier one, which is at least `keep` high, by either of two rules:
//   soon  it follows within soon_samples, and its height is below soon_height times the earlier one's
//   late  it follows within late_samples, its sharpness is below late_sharpness times the earlier one's, and its height
//         is below late_height times the earlier one's
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

// A beat that is found in a gap satisfies all of these. RR is the local median.
struct SearchRule {
  double gap = std::numeric_limits<double>::infinity();  // the gap is longer than this times RR
  float height = 0;                                      // lowest height; a height of 0 is never enough
  double soonest = 0;                                    // samples: it is later than this after the beat before it
  double after = 0;                                      // it is also later than this times RR after that beat
  double before = 0;                                     // the next beat is later than this times RR after it
};
// T waves are not as sharp as beats, so that sharp candidates may be lower and sooner. A candidate is sharp if its
// sharpness over its height is within least_sharp and most_sharp times the median of that ratio over the beats around.
struct SearchOptions {
  int reach;         // RR intervals, and beats, on either side that medians are taken over, at most kMaxReach
  int candidates;    // candidates after the gap's first beat that are examined
  SearchRule weak;   // for any candidate
  SearchRule sharp;  // for sharp ones
  double least_sharp = 0, most_sharp = 0;
};
// Does one round of search-back: adds the highest candidate of each long gap that satisfies either rule to the set. Of
// equal heights the first counts.
//   kept   [K] indices of the candidates that are beats: the positions of the set
//   beats  [words_for(C)]
void search_back(Cpu&, const Candidates& candidates, std::span<const std::int64_t> kept, const SearchOptions& options,
                 std::span<std::uint32_t> beats);
void search_back(Cuda&, const Candidates& candidates, std::span<const std::int64_t> kept, const SearchOptions& options,
                 std::span<std::uint32_t> beats);

// Make the checks that both back ends share.
void check_candidates(std::int64_t n, std::int64_t words, int radius, int edge);
void check_maxima(std::int64_t n, int block, std::int64_t maxima);

}  // namespace beatscan

namespace beatscan::detection {

// The samples [first, last) of block i, where n samples are cut into blocks of the level.
struct BlockRange {
  std::int64_t first, last;
  BEATSCAN_HOST_DEVICE BlockRange(std::int64_t i, std::int64_t blocks, int block, std::int64_t n)
      : first(i * block), last(i + 1 < blocks ? (i + 1) * block : n) {}
};

// Returns whether sample i is a candidate, see mark_candidates. The nearest samples come first: most samples fail
// there.
BEATSCAN_HOST_DEVICE inline bool is_candidate(const float* x, std::int64_t n, std::int64_t i, int radius, int edge) {
  if (i < edge || i >= n - edge || !(x[i] > 0)) return false;
  for (std::int64_t d = 1; d <= radius; ++d) {
    if (i - d >= 0 && x[i - d] >= x[i]) return false;
    if (i + d < n && x[i + d] > x[i]) return false;
  }
  return true;
}

}  // namespace beatscan::detection
