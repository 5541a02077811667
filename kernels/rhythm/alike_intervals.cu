// Compiles alike_intervals.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/rhythm/alike_intervals.cpp"  // NOLINT(bugprone-suspicious-include)
