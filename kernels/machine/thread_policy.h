// kernels/machine/thread_policy.h — decides whether work whose result is needed later gets a thread of its own.
#pragma once

#include <future>

#include "kernels/machine/host_threads.h"

namespace beatscan {

// Returns whether the calling thread may start threads for such work. In a batch, if it has one processor and others
// keep the rest busy, it may not: threads gain nothing there, and starting and ending them delays all other threads of
// the process (docs/performance.md). A single recording may start them even on one processor: one thread can wait for
// files while another works.
inline bool may_start_threads() { return host_threads() > 1 || !shares_processors(); }

// Returns how std::async is to start such work: on a thread of its own, or when the result is needed.
inline std::launch thread_policy() { return may_start_threads() ? std::launch::async : std::launch::deferred; }

}  // namespace beatscan
