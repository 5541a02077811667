// kernels/parallel.h — the CPU twin of a grid of blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "kernels/context.h"

namespace beatscan {

// Calls body(first, last) for consecutive, disjoint ranges that cover [0, n), at most one a thread, each of at least
// `grain` items. Ranges depend on n, grain and the number of threads only. The first exception is rethrown.
// Threads are started anew each time: a call is worth some tens of microseconds, so give it a millisecond of work.
template <class Body>
void parallel_for(const Cpu& cpu, std::int64_t n, std::int64_t grain, Body&& body) {
  const std::int64_t parts = std::clamp<std::int64_t>(n / std::max<std::int64_t>(grain, 1), 1, cpu.threads());
  if (parts == 1) {
    if (n > 0) body(std::int64_t{0}, n);
    return;
  }
  std::vector<std::exception_ptr> errors(parts);
  const auto run = [&](std::int64_t part) {
    try {
      body(n * part / parts, n * (part + 1) / parts);
    } catch (...) {
      errors[part] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::int64_t part = 1; part < parts; ++part) threads.emplace_back(run, part);
    run(0);
  }
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace beatscan
