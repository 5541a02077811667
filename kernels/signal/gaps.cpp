#include "kernels/signal/gaps.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "kernels/lists/bits.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {

void mark_missing(Cpu& cpu, std::span<const float> x, std::span<std::uint32_t> words) {
  const auto n = std::ssize(x);
  BEATSCAN_EXPECTS(std::ssize(words) == words_for(n), "mark_missing: words do not fit the samples");
  parallel_for(cpu, std::ssize(words), 1024, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t word = first; word < last; ++word) {
      std::uint32_t bits = 0;
      for (std::int64_t i = word * 32, end = std::min(i + 32, n); i < end; ++i)
        bits |= static_cast<std::uint32_t>(std::isnan(x[i])) << (i % 32);
      words[word] = bits;
    }
  });
}

std::int64_t count_missing(Cpu& cpu, std::span<const float> x) {
  std::atomic<std::int64_t> missing = 0;
  const float* const values = x.data();  // a pointer is not checked: the compiler can test several samples at a time
  parallel_for(cpu, std::ssize(x), 1 << 16, [&](std::int64_t first, std::int64_t last) {
    std::int64_t found = 0;
    for (std::int64_t i = first; i < last; ++i) found += values[i] != values[i];
    missing += found;
  });
  return missing;
}

void bridge_gaps(Cpu&, std::span<const float> beside, std::span<float> x, std::span<const std::int64_t> firsts,
                 std::span<const std::int64_t> lasts) {
  BEATSCAN_EXPECTS(firsts.size() == lasts.size() && beside.size() == x.size(), "bridge_gaps: bad shape");
  for (std::size_t gap = 0; gap < firsts.size(); ++gap) {
    const GapBridge bridge(beside.data(), std::ssize(x), firsts[gap], lasts[gap]);
    for (std::int64_t i = bridge.first; i <= bridge.last; ++i) x[i] = bridge.at(i);
  }
}

}  // namespace beatscan
