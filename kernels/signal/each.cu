// Compiles files of this folder a second time, for Cuda: see kernels/runtime/each.h.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernels/signal/parts.cpp"
// NOLINTEND(bugprone-suspicious-include)
