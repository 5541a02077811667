// Compiles flags.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/lists/flags.cpp"  // NOLINT(bugprone-suspicious-include)
