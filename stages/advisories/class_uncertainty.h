// stages/advisories/class_uncertainty.h — the expected number of misclassified beats, from their posteriors.
#pragma once

#include <cstdint>

namespace beatscan {

struct Findings;

struct ClassUncertainty {
  double expected_wrong = 0;       // sum of 1 - largest posterior over beats that are not paced
  std::int64_t abnormal = 0;       // beats of class S and V
  std::int64_t least_certain = 0;  // the beat whose largest posterior is smallest

  static constexpr double kFewestWrong = 10, kManyWrong = 1;
  bool is_high() const {
    return expected_wrong >= kFewestWrong && expected_wrong >= kManyWrong * static_cast<double>(abnormal);
  }
};

// Paced beats are excluded: their pacing spike determines their class.
ClassUncertainty class_uncertainty(const Findings& findings);

}  // namespace beatscan
