// Compiles detect_rules.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/beats/detect_rules.cpp"  // NOLINT(bugprone-suspicious-include)
