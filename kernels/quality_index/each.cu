// Compiles files of this room a second time, for Cuda: see kernels/runtime/each.h.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernels/quality_index/acceptability.cpp"
#include "kernels/quality_index/beats.cpp"
#include "kernels/quality_index/features.cpp"
#include "kernels/quality_index/fibrillation.cpp"
// NOLINTEND(bugprone-suspicious-include)
