// Compiles p_waves.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/detection/p_waves.cpp"  // NOLINT(bugprone-suspicious-include)
