#include "stages/classify/advisories.h"

#include <algorithm>
#include <span>

#include "stages/classify/beat_findings.h"

namespace beatscan {

ClassUncertainty class_uncertainty(const Findings& findings) {
  ClassUncertainty found;
  double most = 0;
  if (findings.posteriors.empty()) return found;
  for (std::int64_t i = 0; i < std::ssize(findings.beat_classes); ++i) {
    if (findings.is_paced(i)) continue;
    const double wrong =
        1 - double{std::ranges::max(std::span(findings.posteriors).subspan(i * kPosteriorClasses, kPosteriorClasses))};
    found.expected_wrong += wrong;
    if (wrong > most) most = wrong, found.least_certain = i;
    found.abnormal +=
        findings.beat_classes[i] == BeatClass::supraventricular || findings.beat_classes[i] == BeatClass::ventricular;
  }
  return found;
}

}  // namespace beatscan
