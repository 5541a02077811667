// kernels/runtime/describe_gpu.h — describes a GPU without a context on it, whose making takes 0.2 s.
#pragma once

#include "kernels/runtime/context.h"

namespace beatscan {

// Throws ErrorKind::device if no GPU has this number. It exists only in builds with CUDA.
DeviceDescription describe_gpu(int device);

}  // namespace beatscan
