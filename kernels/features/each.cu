// Compiles files of this folder a second time, for Cuda: see kernels/runtime/each.h.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernels/features/beat_shapes.cpp"
// NOLINTEND(bugprone-suspicious-include)
