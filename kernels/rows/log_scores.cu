// Compiles log_scores.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/rows/log_scores.cpp"  // NOLINT(bugprone-suspicious-include)
