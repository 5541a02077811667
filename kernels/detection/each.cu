// Compiles files of this room a second time, for Cuda: see kernels/runtime/each.h.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernels/detection/beat_tips.cpp"
#include "kernels/detection/clarity.cpp"
#include "kernels/detection/detect_rules.cpp"
#include "kernels/detection/drop_beats.cpp"
#include "kernels/detection/fuse_leads.cpp"
#include "kernels/detection/impulses.cpp"
#include "kernels/detection/p_waves.cpp"
// NOLINTEND(bugprone-suspicious-include)
