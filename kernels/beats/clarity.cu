// Compiles clarity.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/beats/clarity.cpp"  // NOLINT(bugprone-suspicious-include)
