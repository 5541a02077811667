// Compiles files of this folder a second time, for Cuda: see kernels/runtime/each.h.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernels/windows/log_scores.cpp"
// NOLINTEND(bugprone-suspicious-include)
