// kernels/runtime/parallel.h — the CPU twin of a grid of blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "kernels/runtime/context.h"

namespace beatscan {

// Calls part(0) .. part(parts - 1), in any order and side by side, on the process's threads and on the caller's own;
// returns when all are done. Of what parts throw, that of the first part is rethrown then. Any number of callers at a
// time, also from within a part.
void run_parts(std::int64_t parts, const std::function<void(std::int64_t)>& part);

// Calls body(first, last) for consecutive, disjoint ranges that cover [0, n), at most one a thread of the context, each
// of at least `grain` items. Ranges depend on n, grain and the number of threads only. The first range's exception is
// rethrown.
// A call is worth some microseconds a thread: give it a tenth of a millisecond of work.
template <class Body>
void parallel_for(const Cpu& cpu, std::int64_t n, std::int64_t grain, Body&& body) {
  const std::int64_t parts = std::clamp<std::int64_t>(n / std::max<std::int64_t>(grain, 1), 1, cpu.threads());
  if (parts == 1) {
    if (n > 0) body(std::int64_t{0}, n);
    return;
  }
  run_parts(parts, [&](std::int64_t part) { body(n * part / parts, n * (part + 1) / parts); });
}

}  // namespace beatscan
