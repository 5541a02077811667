// Compiles early_beats.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/rhythm/early_beats.cpp"  // NOLINT(bugprone-suspicious-include)
