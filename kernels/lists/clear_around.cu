// Compiles clear_around.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/lists/clear_around.cpp"  // NOLINT(bugprone-suspicious-include)
