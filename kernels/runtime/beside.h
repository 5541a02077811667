// kernels/runtime/beside.h — runs two pieces of work concurrently on one device, if neither needs the other's result.
#pragma once

#include "kernels/machine/host_threads.h"
#include "kernels/runtime/current_device.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/pool.h"

namespace beatscan {

// Returns whether run_concurrently uses two streams. Both pieces of work then hold memory at the same time, so it does
// not if the pool has a limit or is managed.
inline bool has_room_beside(Cuda& context) {
  const PoolOptions& pool = context.pool().options();
  return pool.kind == PoolKind::device && pool.limit_bytes == 0;
}

// Calls first(context) and second(other), where `other` is a context on the same device. Both may read what `context`
// has made so far, and write into it if the other does not. Returns when both are done; if they throw, it rethrows the
// exception of the first of them.
//
// The second piece of work may run on another thread. On a GPU `other` has its own stream, and no memory of `other` may
// be held when the second piece returns, which is checked. If memory does not suffice for both, or the caller has fewer
// than `least_threads` (host_threads), the pieces run one after the other in `context`. A piece of work may itself call
// this: it then needs a third thread. On the CPU both share the threads, so that one piece takes those that the other
// has no work for; the context's staging() is for neither.
template <class First, class Second>
void run_concurrently(Cpu& context, First&& first, Second&& second, int least_threads = 2) {
  if (host_threads() >= least_threads) return run_together([&] { first(context); }, [&] { second(context); });
  first(context);
  second(context);
}
template <class First, class Second>
void run_concurrently(Cuda& context, First&& first, Second&& second, int least_threads = 2) {
  if (!has_room_beside(context) || host_threads() < least_threads) {
    first(context);
    second(context);
    return;
  }
  context.synchronize();
  run_together([&] { first(context); },
               [&] {
                 make_current(context);
                 Cuda& other = context.beside();
                 try {
                   second(other);
                 } catch (...) {  // its queued work may use memory of `context`, which is freed next
                   try {
                     other.synchronize();
                   } catch (const Error&) {  // the first failure counts
                   }
                   throw;
                 }
                 BEATSCAN_EXPECTS(other.pool().held_bytes() == 0, "run_concurrently: memory is still held");
               });
}

// Returns the figures of the context's pool. Memory in the host's memory includes that of the concurrent contexts. As
// their peaks may be at different times, it is an upper bound.
inline PoolStatistics statistics_with_beside(Cuda& context) {
  PoolStatistics statistics = context.pool().statistics();
  if (Cuda* other = context.beside_if_made()) statistics.spilled_bytes += statistics_with_beside(*other).spilled_bytes;
  return statistics;
}

}  // namespace beatscan
