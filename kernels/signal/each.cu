// Compiles files of this folder a second time, for Cuda: see kernels/runtime/each.h.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernels/signal/clamp.cpp"
#include "kernels/signal/part_maxima.cpp"
#include "kernels/signal/still.cpp"
#include "kernels/signal/strips.cpp"
// NOLINTEND(bugprone-suspicious-include)
