// Compiles random.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/vae/random.cpp"  // NOLINT(bugprone-suspicious-include)
