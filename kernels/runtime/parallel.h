// kernels/runtime/parallel.h — runs a loop on the host's threads, as a grid of blocks does on a GPU.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>

#include "kernels/runtime/context.h"

namespace beatscan {

// Calls part(0) .. part(parts - 1), in any order and in parallel, on the process's threads and on the caller's own,
// which does part 0. Returns when all are done; until then the caller may also work on what the parts have given to
// run_parts. If parts throw, it then rethrows the exception of the first of them. Any number of threads may call it at
// a time, and so may a part. A caller that has one thread (host_threads) does all parts, one after the other: in a
// batch the other threads have recordings of their own. If it has more, the parts go to all threads of the process.
void run_parts(std::int64_t parts, const std::function<void(std::int64_t)>& part);

// Calls several functions in parallel, the first of them on the caller's own thread: only that one may use a context of
// a GPU, because CUDA keeps a current device for each thread. Otherwise it is as run_parts.
template <class... Work>
void run_together(const Work&... work) {
  const std::array<std::function<void()>, sizeof...(Work)> all{std::cref(work)...};
  run_parts(std::ssize(all), [&](std::int64_t i) { all[i](); });
}

// Calls body(first, last) for consecutive, disjoint ranges that cover [0, n). There is at most one range for each
// thread of the context, and each has at least `grain` items. Ranges depend only on n, grain and the number of threads,
// which may differ from one call to the next.
// If ranges throw, the exception of the first of them is rethrown. A call costs some microseconds a thread, so a range
// should be a tenth of a millisecond of work.
template <class Body>
void parallel_for(const Cpu& cpu, std::int64_t n, std::int64_t grain, Body&& body) {
  const std::int64_t parts = std::clamp<std::int64_t>(n / std::max<std::int64_t>(grain, 1), 1, cpu.threads());
  if (parts == 1) {
    if (n > 0) body(std::int64_t{0}, n);
    return;
  }
  run_parts(parts, [&](std::int64_t part) { body(n * part / parts, n * (part + 1) / parts); });
}

// Calls item(i) for each i of [0, n), on up to `threads` threads. A thread that is done with an item takes the next one
// that is left, in order. If items throw, the exception of the first of them is rethrown, and some items may not have
// been called.
void run_items(int threads, std::int64_t n, const std::function<void(std::int64_t)>& item);

// Calls item(i) for each i of [0, n). It is for expensive items, each of which is worth a thread, and which may take
// different times.
template <class Item>
void parallel_each(const Cpu& cpu, std::int64_t n, Item&& item) {
  run_items(cpu.threads(), n, std::ref(item));
}

}  // namespace beatscan
