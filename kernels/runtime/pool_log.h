// kernels/runtime/pool_log.h — requests as the pool's parts note them; read through pool.h.
#pragma once

#include "kernels/runtime/pool.h"

namespace beatscan {

// Nothing while no log is kept.
void log_request(PoolRequest::Action action, const void* memory, std::size_t bytes);

// Has the allocator report its own requests, if a log is kept. To be called when it has been initialised.
void attach_pool_log();

}  // namespace beatscan
