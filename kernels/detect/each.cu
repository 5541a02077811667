// Compiles files of this folder a second time, for Cuda: see kernels/runtime/each.h.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernels/detect/detect_rules.cpp"
#include "kernels/detect/fuse_leads.cpp"
#include "kernels/detect/impulses.cpp"
#include "kernels/detect/judge_beats.cpp"
#include "kernels/detect/noise.cpp"
// NOLINTEND(bugprone-suspicious-include)
