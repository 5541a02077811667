// Compiles gather.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/lists/gather.cpp"  // NOLINT(bugprone-suspicious-include)
