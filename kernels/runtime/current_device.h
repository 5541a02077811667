// kernels/runtime/current_device.h — makes a context's device the current one of a thread, and ends the use of a
// device. CUDA keeps a current device for each thread, and it is device 0 until the thread sets another.
#pragma once

#include <optional>

#include "kernels/runtime/context.h"

namespace beatscan {

// Makes the context's device the current one. A thread must call it before it works on a context that another thread
// has made.
inline void make_current(const Cpu&) {}
void make_current(const Cuda&);

// Destroys the context, which must exist, releases all that the process has on its device, and closes the driver's
// files (cuda_version.h); if the environment loads a tool into CUDA, the files stay open. Any thread may call it. There
// may be no other context on any device, and CUDA must not be used later.
void end_cuda(std::optional<Cuda>& context) noexcept;

}  // namespace beatscan
