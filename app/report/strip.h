// app/report/strip.h — ECG paper: 25 mm a second, 10 mm a millivolt, as SVG whose sizes are in millimetres.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/report/stored_result.h"

namespace beatscan {

// How a signal of unknown unit comes on paper.
struct PaperScale {
  double mm_per_second = 25;
  double samples_per_second = 250;  // where no rate is known, 250 samples are drawn as a second
  double mm_per_unit = 10;
  std::string text;  // "25 mm/s, 10 mm/mV (input unit taken as mV)"
};

// mV, uV and V where the result names them; else the input unit is taken as a millivolt where its beats are of that
// size, and if not, beats are drawn about 15 mm high by a round scale.
PaperScale paper_scale(const StoredResult& result);

struct StripSize {
  double seconds, height_mm;
};

// The grid for strips of a size, once on a page, to be used by them all.
std::string strip_paper(const StripSize& size);

struct StripMark {
  double seconds;  // from the strip's start
  bool abnormal, centre;
};

// `signal`: what fills the strip, at `samples_per_second`; NaN is left out.
std::string strip_svg(const PaperScale& scale, const StripSize& size, std::span<const float> signal,
                      std::span<const StripMark> marks, const std::string& description);

}  // namespace beatscan
