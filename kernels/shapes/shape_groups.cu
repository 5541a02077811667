// Compiles shape_groups.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/shapes/shape_groups.cpp"  // NOLINT(bugprone-suspicious-include)
