// Compiles quiet_intervals.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/beats/quiet_intervals.cpp"  // NOLINT(bugprone-suspicious-include)
