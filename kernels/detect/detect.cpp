#include "kernels/detect/detect.h"

#include <algorithm>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {

void check_candidates(std::int64_t n, std::int64_t words, int radius, int edge) {
  BEATSCAN_EXPECTS(words == words_for(n) && radius >= 0 && edge >= 0, "mark_candidates: bad shape, radius or edge");
}
void check_maxima(std::int64_t n, int block, std::int64_t maxima) {
  BEATSCAN_EXPECTS(n > 0 && block > 0 && maxima == level_blocks(n, block), "block_maxima: bad shape");
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

}  // namespace beatscan
