// kernels/runtime/launch_policy.h — decides whether work whose result is needed later gets a thread of its own.
#pragma once

#include <future>

#include "kernels/runtime/host_threads.h"

namespace beatscan {

// Returns how std::async is to start the work: on a thread of its own, or, where the calling thread has one thread only
// (host_threads), when the result is asked for. In a batch that keeps all processors busy a thread of its own gains
// nothing, and threads that start and end hold up the other threads of the process: docs/performance_history.md.
inline std::launch launch_policy() { return host_threads() > 1 ? std::launch::async : std::launch::deferred; }

}  // namespace beatscan
