// stages/advisories/class_uncertainty.h — how many beats have a wrong class, as their posteriors expect it.
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

// The spike decides the class of a paced beat.
ClassUncertainty class_uncertainty(const Findings& findings);

}  // namespace beatscan
