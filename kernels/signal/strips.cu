// Compiles strips.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/signal/strips.cpp"  // NOLINT(bugprone-suspicious-include)
