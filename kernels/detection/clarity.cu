// Compiles clarity.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/detection/clarity.cpp"  // NOLINT(bugprone-suspicious-include)
