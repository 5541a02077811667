// Compiles shape_widths.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/shapes/shape_widths.cpp"  // NOLINT(bugprone-suspicious-include)
