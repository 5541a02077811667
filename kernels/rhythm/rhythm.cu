// Compiles rhythm.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/rhythm/rhythm.cpp"  // NOLINT(bugprone-suspicious-include)
