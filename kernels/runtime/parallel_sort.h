// kernels/runtime/parallel_sort.h — sorts on the host's threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "kernels/runtime/parallel.h"

namespace beatscan {

// Sorts values in ascending order: sorts parts of at least `grain` values in parallel, and merges them in pairs. Equal
// values must be identical, as numbers are, because their order is undefined.
template <class T>
void parallel_sort(const Cpu& cpu, std::span<T> values, std::int64_t grain = 8192) {
  const std::int64_t count = std::ssize(values);
  const auto fitting = std::clamp<std::int64_t>(count / std::max<std::int64_t>(grain, 1), 1, cpu.threads());
  std::int64_t parts = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(fitting)));
  const auto begin_of = [&](std::int64_t part) { return values.begin() + count * part / parts; };
  run_parts(parts, [&](std::int64_t part) { std::sort(begin_of(part), begin_of(part + 1)); });
  for (; parts > 1; parts /= 2)
    run_parts(parts / 2, [&](std::int64_t pair) {
      std::inplace_merge(begin_of(2 * pair), begin_of(2 * pair + 1), begin_of(2 * pair + 2));
    });
}

template <class T>
void parallel_sort(const Cpu& cpu, std::vector<T>& values, std::int64_t grain = 8192) {
  parallel_sort(cpu, std::span<T>(values), grain);
}

}  // namespace beatscan
