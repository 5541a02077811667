// Compiles still.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/signal/still.cpp"  // NOLINT(bugprone-suspicious-include)
