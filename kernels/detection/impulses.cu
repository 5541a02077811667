// Compiles impulses.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/detection/impulses.cpp"  // NOLINT(bugprone-suspicious-include)
