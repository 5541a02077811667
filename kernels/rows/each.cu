// Compiles files of this folder a second time, for Cuda: see kernels/runtime/each.h.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernels/rows/fuse_leads.cpp"
#include "kernels/rows/log_scores.cpp"
#include "kernels/rows/neighbourhood.cpp"
// NOLINTEND(bugprone-suspicious-include)
