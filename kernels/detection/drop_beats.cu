// Compiles drop_beats.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/detection/drop_beats.cpp"  // NOLINT(bugprone-suspicious-include)
