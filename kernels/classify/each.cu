// Compiles files of this folder a second time, for Cuda: see kernels/runtime/each.h.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernels/classify/class_odds.cpp"
// NOLINTEND(bugprone-suspicious-include)
