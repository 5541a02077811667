// app/report/paper/strip.h — the scale of ECG paper: 25 mm a second, and 10 mm a millivolt.
#pragma once

#include <cstdint>
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

}  // namespace beatscan
