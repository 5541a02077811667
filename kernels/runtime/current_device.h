// kernels/runtime/current_device.h — CUDA's current device is a thread's own, and 0 where nobody says otherwise.
#pragma once

#include "kernels/runtime/context.h"

namespace beatscan {

// To be called on a thread before it works on a context that another thread has made.
inline void make_current(const Cpu&) {}
void make_current(const Cuda&);

}  // namespace beatscan
