// Compiles quiet_intervals.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/rhythm/quiet_intervals.cpp"  // NOLINT(bugprone-suspicious-include)
