// kernels/runtime/beside.h — runs two pieces of work side by side on one device, where neither needs the other's
// result.
#pragma once

#include "kernels/runtime/current_device.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/pool.h"

namespace beatscan {

// Calls first(context) and second(other), where `other` is a context on the same device. Both may read what `context`
// has made so far. Returns when both are done; if they throw, it rethrows the exception of the first of them.
//
// On a GPU `other` has a stream of its own, and the second piece of work may run on another thread. Both hold memory at
// a time, so they run one after the other in `context` where the pool has a limit or is managed. They do so on the CPU,
// too, because each of them takes all threads.
template <class First, class Second>
void run_beside(Cpu& context, First&& first, Second&& second) {
  first(context);
  second(context);
}
template <class First, class Second>
void run_beside(Cuda& context, First&& first, Second&& second) {
  const PoolOptions& pool = context.pool().options();
  if (pool.kind != PoolKind::device || pool.limit_bytes > 0) {
    first(context);
    second(context);
    return;
  }
  context.synchronize();
  run_together([&] { first(context); },
               [&] {
                 make_current(context);
                 second(context.beside());
               });
}

}  // namespace beatscan
