// Compiles restless.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/rhythm/restless.cpp"  // NOLINT(bugprone-suspicious-include)
