// Compiles files of this folder a second time, for Cuda: see kernels/runtime/each.h.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernels/shapes/shape_groups.cpp"
#include "kernels/shapes/shape_rows.cpp"
// NOLINTEND(bugprone-suspicious-include)
