// kernels/runtime/pool_log.h — the functions by which the parts of the pool note their requests in the log. Callers
// read the log through pool.h.
#pragma once

#include "kernels/runtime/pool.h"

namespace beatscan {

bool keeps_pool_log();

// Notes a request. Does nothing while no log is kept, or if the host has no memory for it.
void log_request(PoolRequest::Action action, const void* memory, std::size_t bytes) noexcept;

}  // namespace beatscan
