#include "kernels/detect/detect.h"

#include <algorithm>
#include <bit>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {

void check_candidates(std::int64_t n, std::int64_t words, int radius, int edge) {
  BEATSCAN_EXPECTS(words == words_for(n) && radius >= 0 && edge >= 0, "mark_candidates: bad shape, radius or edge");
}
void check_maxima(std::int64_t n, int block, std::int64_t maxima) {
  BEATSCAN_EXPECTS(n > 0 && block > 0 && maxima == level_blocks(n, block), "block_maxima: bad shape");
}

namespace {

// Returns a bit for each of 32 samples that is above 0, above the sample before it, and not below the next one.
std::uint32_t local_maxima(const float* x) {
  std::uint8_t is_one[32];
  for (int i = 0; i < 32; ++i) is_one[i] = (x[i] > 0) & (x[i - 1] < x[i]) & (x[i + 1] <= x[i]);
  std::uint32_t bits = 0;
  for (int i = 0; i < 32; ++i) bits |= std::uint32_t{is_one[i]} << i;
  return bits;
}

}  // namespace

void mark_candidates(Cpu& cpu, std::span<const float> x, int radius, int edge, std::span<std::uint32_t> words) {
  const auto n = std::ssize(x);
  check_candidates(n, std::ssize(words), radius, edge);
  parallel_for(cpu, std::ssize(words), 1024, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t word = first; word < last; ++word) {
      const std::int64_t begin = word * 32;
      const bool has_neighbours = radius > 0 && begin > 0 && begin + 32 < n;
      std::uint32_t likely = has_neighbours ? local_maxima(&x[begin]) : ~std::uint32_t{0};
      words[word] = 0;
      for (; likely != 0; likely &= likely - 1) {
        const int bit = std::countr_zero(likely);
        if (begin + bit < n)
          words[word] |= std::uint32_t{detection::is_candidate(x.data(), n, begin + bit, radius, edge)} << bit;
      }
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
