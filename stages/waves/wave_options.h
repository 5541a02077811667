// stages/waves/wave_options.h — options of the delineation of P, QRS and T waves.
#pragma once

#include <string>

namespace beatscan {

// The correction of the QT interval for the heart rate; see wave_intervals.h.
enum class QtCorrection { bazett, fridericia, framingham, hodges };

struct WaveOptions {
  std::string model;  // path of a model of scripts/train_waves; empty: the one that is built in
  QtCorrection qtc = QtCorrection::fridericia;
  double st_after_j_s = 0.06;  // where the ST level is measured, after the J point
};

}  // namespace beatscan
