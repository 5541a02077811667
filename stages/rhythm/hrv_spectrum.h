// stages/rhythm/hrv_spectrum.h — the power of NN intervals in two bands, by Welch's method. See hrv.h.
#pragma once

#include <cstdint>

namespace beatscan {

struct NnIntervals;

struct NnSpectrum {
  std::int64_t windows = 0;       // that were averaged
  double lf_ms2 = 0, hf_ms2 = 0;  // 0 without a window
};

// Works out the spectrum over the windows of which at least `covered` is NN.
NnSpectrum nn_spectrum(const NnIntervals& nn, double covered);

}  // namespace beatscan
