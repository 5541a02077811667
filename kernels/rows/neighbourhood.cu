// Compiles neighbourhood.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/rows/neighbourhood.cpp"  // NOLINT(bugprone-suspicious-include)
