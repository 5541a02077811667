// Compiles files of this room a second time, for Cuda: see kernels/runtime/each.h.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernels/quality/acceptability.cpp"
#include "kernels/quality/beats.cpp"
#include "kernels/quality/features.cpp"
#include "kernels/quality/fibrillation.cpp"
// NOLINTEND(bugprone-suspicious-include)
