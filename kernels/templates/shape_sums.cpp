#include "kernels/templates/shape_sums.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/templates/shape_sums_common.h"

namespace beatscan {
namespace {

void add_to(std::int64_t& sum, std::int64_t value) {
  if (value != 0) std::atomic_ref(sum).fetch_add(value, std::memory_order_relaxed);
}

}  // namespace

template <class T>
void group_sums(Cpu& cpu, std::span<const T> rows, std::span<const std::uint8_t> groups, std::span<std::int64_t> sums,
                std::span<std::int64_t> counts) {
  const std::int64_t width =
      check_group_sums(std::ssize(rows), std::ssize(groups), std::ssize(sums), std::ssize(counts));
  std::ranges::fill(sums, 0);
  std::ranges::fill(counts, 0);
  parallel_for(cpu, std::ssize(groups), 1024, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> part(sums.size()), part_counts(counts.size());
    for (std::int64_t b = first; b < last; ++b) {
      const std::int64_t group = groups[b];
      if (group >= std::ssize(counts)) continue;
      ++part_counts[group];
      for (std::int64_t j = 0; j < width; ++j) part[group * width + j] += sum_value(rows[b * width + j]);
    }
    for (std::size_t i = 0; i < part.size(); ++i) add_to(sums[i], part[i]);
    for (std::size_t k = 0; k < part_counts.size(); ++k) add_to(counts[k], part_counts[k]);
  });
}
template void group_sums(Cpu&, std::span<const std::int16_t>, std::span<const std::uint8_t>, std::span<std::int64_t>,
                         std::span<std::int64_t>);
template void group_sums(Cpu&, std::span<const float>, std::span<const std::uint8_t>, std::span<std::int64_t>,
                         std::span<std::int64_t>);

std::int64_t check_group_sums(std::int64_t rows, std::int64_t groups, std::int64_t sums, std::int64_t counts) {
  BEATSCAN_EXPECTS(
      1 <= counts && counts <= kMostGroups && sums > 0 && sums % counts == 0 && rows == groups * (sums / counts),
      "group_sums: bad shape");
  return sums / counts;
}

}  // namespace beatscan
