#include "stages/advisories/class_uncertainty.h"

#include <algorithm>
#include <span>

#include "stages/findings/beat_findings.h"

namespace beatscan {

ClassUncertainty class_uncertainty(const Findings& findings) {
  ClassUncertainty found;
  double most = 0;
  if (findings.posteriors.empty()) return found;
  for (std::int64_t i = 0; i < std::ssize(findings.kinds); ++i) {
    if (findings.is_paced(i)) continue;
    const double wrong =
        1 - double{std::ranges::max(std::span(findings.posteriors).subspan(i * kBeatClasses, kBeatClasses))};
    found.expected_wrong += wrong;
    if (wrong > most) most = wrong, found.least_certain = i;
    found.abnormal += findings.kinds[i] == Kind::supraventricular || findings.kinds[i] == Kind::ventricular;
  }
  return found;
}

}  // namespace beatscan
