// Compiles clamp.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/signal/clamp.cpp"  // NOLINT(bugprone-suspicious-include)
