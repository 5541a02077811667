// Compiles part_maxima.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/signal/part_maxima.cpp"  // NOLINT(bugprone-suspicious-include)
