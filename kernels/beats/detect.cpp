#include "kernels/beats/detect.h"

#include <algorithm>
#include <vector>

#include "kernels/beats/detect_common.h"
#include "kernels/runtime/error.h"

namespace beatscan {

void check_candidates(std::int64_t n, std::int64_t words, int radius, int edge) {
  BEATSCAN_EXPECTS(words == words_for(n) && radius >= 0 && edge >= 0, "mark_candidates: bad shape, radius or edge");
}
void check_maxima(std::int64_t n, int block, std::int64_t maxima) {
  BEATSCAN_EXPECTS(n > 0 && block > 0 && maxima == level_blocks(n, block), "block_maxima: bad shape");
}
void check_levels(std::int64_t maxima, std::int64_t levels, const LevelOptions& options) {
  BEATSCAN_EXPECTS(maxima > 0 && maxima == levels, "local_levels: bad shape");
  BEATSCAN_EXPECTS(0 <= options.reach && options.reach <= kMaxReach, "local_levels: bad reach");
}
void check_heights(std::int64_t n, std::int64_t levels, int block, std::int64_t candidates, std::int64_t heights) {
  BEATSCAN_EXPECTS(block > 0 && levels == level_blocks(n, block) && candidates == heights, "heights: bad shape");
}
void check_sets(const Candidates& candidates, std::int64_t words) {
  BEATSCAN_EXPECTS(candidates.height.size() == candidates.at.size() &&
                       candidates.sharpness.size() == candidates.at.size() &&
                       words == words_for(static_cast<std::int64_t>(candidates.at.size())),
                   "candidates: bad shape");
}

void mark_candidates(Cpu& cpu, std::span<const float> x, int radius, int edge, std::span<std::uint32_t> words) {
  const auto n = std::ssize(x);
  check_candidates(n, std::ssize(words), radius, edge);
  parallel_for(cpu, std::ssize(words), 1024, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t word = first; word < last; ++word) {
      words[word] = 0;
      for (std::int64_t i = word * 32; i < std::min(word * 32 + 32, n); ++i)
        words[word] |= std::uint32_t{detection::is_candidate(x.data(), n, i, radius, edge)} << (i % 32);
    }
  });
}

void block_maxima(Cpu& cpu, std::span<const float> x, int block, std::span<float> maxima) {
  const auto n = std::ssize(x), blocks = std::ssize(maxima);
  check_maxima(n, block, blocks);
  parallel_for(cpu, blocks, 64, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const detection::BlockRange range(i, blocks, block, n);
      maxima[i] = *std::max_element(x.begin() + range.first, x.begin() + range.last);
    }
  });
}

void forget_missing(Cpu& cpu, const Gaps& gaps, std::int64_t n, int block, std::span<float> maxima) {
  check_maxima(n, block, std::ssize(maxima));
  if (!gaps.firsts.empty()) each(cpu, std::ssize(maxima), detection::ForgetMissing(gaps, n, block, maxima));
}

void local_levels(Cpu& cpu, std::span<const float> maxima, const LevelOptions& options, std::span<float> levels) {
  const auto blocks = std::ssize(levels);
  check_levels(std::ssize(maxima), blocks, options);
  std::vector<float> sorted(maxima.begin(), maxima.end());
  std::ranges::sort(sorted);
  each(cpu, blocks, detection::Levels{maxima.data(), sorted.data(), blocks, options, levels.data()});
}

void heights(Cpu& cpu, const SignalPart& x, std::span<const float> levels, int block,
             std::span<const std::int64_t> candidates, std::span<float> heights) {
  check_heights(x.size, std::ssize(levels), block, std::ssize(candidates), std::ssize(heights));
  each(cpu, std::ssize(candidates),
       detection::Heights{x.values.data(), stretch_of(x), levels.data(), std::ssize(levels), block, candidates.data(),
                          heights.data()});
}

void mark_beats(Cpu& cpu, const Candidates& candidates, const TWaveOptions& options, std::span<std::uint32_t> beats) {
  check_sets(candidates, std::ssize(beats));
  std::ranges::fill(beats, 0u);
  each(cpu, std::ssize(candidates.at), detection::MarkBeats{detection::view(candidates), options, beats.data()});
}

void search_back(Cpu& cpu, const Candidates& candidates, std::span<const std::int64_t> kept,
                 const SearchOptions& options, std::span<std::uint32_t> beats) {
  check_sets(candidates, std::ssize(beats));
  BEATSCAN_EXPECTS(0 <= options.reach && options.reach <= kMaxReach, "search_back: bad reach");
  each(cpu, std::ssize(kept) - 1,
       detection::SearchBack{detection::view(candidates), kept.data(), std::ssize(kept), options, beats.data()});
}

}  // namespace beatscan
