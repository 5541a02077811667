// Compiles noise.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/beats/noise.cpp"  // NOLINT(bugprone-suspicious-include)
