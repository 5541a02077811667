// Compiles beat_tips.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/detection/beat_tips.cpp"  // NOLINT(bugprone-suspicious-include)
