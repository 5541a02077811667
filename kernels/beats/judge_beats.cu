// Compiles judge_beats.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/beats/judge_beats.cpp"  // NOLINT(bugprone-suspicious-include)
