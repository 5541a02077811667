// Compiles files of this folder a second time, for Cuda: see kernels/runtime/each.h.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernels/features/beat_shapes.cpp"
#include "kernels/features/interval_columns.cpp"
#include "kernels/features/reference_intervals.cpp"
#include "kernels/features/shape_columns.cpp"
#include "kernels/features/wave_columns.cpp"
// NOLINTEND(bugprone-suspicious-include)
