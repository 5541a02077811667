// Compiles detect_rules.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/detection/detect_rules.cpp"  // NOLINT(bugprone-suspicious-include)
