// Compiles restless.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/beats/restless.cpp"  // NOLINT(bugprone-suspicious-include)
