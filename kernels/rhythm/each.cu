// Compiles files of this room a second time, for Cuda: see kernels/runtime/each.h.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernels/rhythm/quiet_intervals.cpp"
#include "kernels/rhythm/rhythm.cpp"
#include "kernels/rhythm/rhythm_measures.cpp"
// NOLINTEND(bugprone-suspicious-include)
