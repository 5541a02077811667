// Compiles step_signs.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/detection/step_signs.cpp"  // NOLINT(bugprone-suspicious-include)
