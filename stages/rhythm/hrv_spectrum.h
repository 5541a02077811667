// stages/rhythm/hrv_spectrum.h — the power of heart rate variability.
#pragma once

#include <cstdint>

namespace beatscan {

struct NnIntervals;

// The power of NN in each band, as hrv.h defines it.
struct NnSpectrum {
  std::int64_t windows = 0;                    // that were averaged
  double vlf_ms2 = 0, lf_ms2 = 0, hf_ms2 = 0;  // 0 without a window
};

// Works out the spectrum over the windows of which at least `covered` is NN.
NnSpectrum nn_spectrum(const NnIntervals& nn, double covered);

}  // namespace beatscan
