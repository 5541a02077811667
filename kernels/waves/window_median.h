// kernels/waves/window_median.h — the median of a window's values on the CPU.
#pragma once

namespace beatscan::waves {

// Takes the median off a window of 320 values that are not NaN.
void take_off_median(float* window);

}  // namespace beatscan::waves
