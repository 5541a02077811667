// Compiles shape_rows.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/shapes/shape_rows.cpp"  // NOLINT(bugprone-suspicious-include)
