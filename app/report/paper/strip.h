// app/report/paper/strip.h — draws ECG paper, 25 mm a second and 10 mm a millivolt, as SVG with sizes in millimetres.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace beatscan {

struct StoredResult;

// The scale by which a signal, perhaps of unknown unit, is drawn on paper.
struct PaperScale {
  double mm_per_second = 25;
  double samples_per_second = 250;  // 250 samples are drawn as a second if no rate is known
  double mm_per_unit = 10;
  std::string text;  // "25 mm/s, 10 mm/mV (input unit taken as mV)"
};

// Returns the scale for a lead. It knows the units mV, uV and V. Another unit is taken as a millivolt where the beats
// are of that size; otherwise a round scale draws them about 15 mm high. Leads of the same unit have the same scale.
PaperScale paper_scale(const StoredResult& result, std::int64_t lead = 0);

// Returns the text of the scale, or of the scale of each lead where they differ.
std::string paper_text(const StoredResult& result);

struct StripSize {
  double seconds, height_mm;
};

// Returns the grid for strips of one size. It stands once on a page, and all these strips use it.
std::string strip_paper(const StripSize& size);

struct StripMark {
  double seconds;  // from the strip's start
  bool abnormal, centre;
};

// Returns a strip. `signal` fills it, at the scale's samples_per_second; NaN is left out.
std::string strip_svg(const PaperScale& scale, const StripSize& size, std::span<const float> signal,
                      std::span<const StripMark> marks, const std::string& description);

}  // namespace beatscan
