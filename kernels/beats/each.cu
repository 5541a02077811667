// Compiles files of this folder a second time, for Cuda: see kernels/runtime/each.h.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernels/beats/judge_beats.cpp"
#include "kernels/beats/noise.cpp"
// NOLINTEND(bugprone-suspicious-include)
