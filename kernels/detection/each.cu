// Compiles files of this folder a second time, for Cuda: see kernels/runtime/each.h.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernels/detection/clarity.cpp"
#include "kernels/detection/detect_rules.cpp"
#include "kernels/detection/drop_beats.cpp"
#include "kernels/detection/fuse_leads.cpp"
#include "kernels/detection/impulses.cpp"
// NOLINTEND(bugprone-suspicious-include)
