// Compiles interval_unrest.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/rhythm/interval_unrest.cpp"  // NOLINT(bugprone-suspicious-include)
