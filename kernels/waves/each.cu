// Compiles files of this folder a second time, for Cuda: see kernels/runtime/each.h.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernels/waves/amplitudes.cpp"
#include "kernels/waves/beat_waves.cpp"
#include "kernels/waves/missing.cpp"
#include "kernels/waves/non_conducted.cpp"
#include "kernels/waves/wave_confidence.cpp"
#include "kernels/waves/window.cpp"
// NOLINTEND(bugprone-suspicious-include)
