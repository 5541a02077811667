#include "app/result/words/pacing_warning.h"

#include <cmath>

#include "app/text/numbers.h"

namespace beatscan {

std::string pacing_warning(const RunResult& result, Chamber chamber) {
  const Findings& findings = *result.findings;
  std::int64_t beats = 0, most = 0;
  double place_s = 0;  // of the template with the most beats
  for (std::size_t g = 0; g < findings.pacing.size(); ++g) {
    if (findings.pacing[g].chamber != chamber) continue;
    const std::int64_t its = findings.groups[g].beats;
    beats += its;
    if (its > most) most = its, place_s = findings.pacing[g].place_s;
  }
  if (beats == 0) return "";
  const std::string spike = grouped(beats) + " of " + grouped(std::ssize(findings.kinds), "beat") +
                            " belong to templates with a pacing spike, in most " + fixed(1000 * std::abs(place_s), 0) +
                            " ms " + (place_s <= 0 ? "before" : "behind") + " the R peak: ";
  if (chamber == Chamber::ventricles)
    return spike +
           "the ventricles are paced, so these beats are of kind Q, and runs, atrial fibrillation and heart rate "
           "variability are told by the other beats alone";
  return spike +
         "the atria are paced, so the rhythm is the pacemaker's; a spike may be taken for an R peak, and a beat that "
         "follows at another delay for V";
}

}  // namespace beatscan
