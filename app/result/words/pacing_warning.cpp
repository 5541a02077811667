#include "app/result/words/pacing_warning.h"

#include <cmath>
#include <cstdint>

#include "app/result/run_result.h"
#include "app/result/words/beat_rows.h"
#include "app/text/numbers.h"
#include "stages/findings/beat_findings.h"

namespace beatscan {
namespace {

constexpr std::int64_t kShortestRunOfS = 3;  // beats

// Tells of runs of S beats beside paced ones. Their shape was compared with that of the paced beats, so that a
// tachycardia from near the electrode is not told as one.
std::string unpaced_runs_words(const RunResult& result) {
  const auto is_s = [&](std::int64_t i) { return result.findings->kinds[i] == Kind::supraventricular; };
  std::int64_t runs = 0, beats = 0, first = -1;
  for (const BeatRow& run : rows_of(result.beats.found, is_s)) {
    if (run.beats() < kShortestRunOfS) continue;
    if (runs++ == 0) first = run.first;
    beats += run.beats();
  }
  if (runs == 0) return "";
  return "; " + grouped(beats, "beat") + " of kind S in " + grouped(runs, "run") + ", the first at " +
         fixed(second_of(result, result.beats.found.r_peaks[first]), 1) +
         " s, come early without a spike: a ventricular tachycardia that looks like paced beats is called S, too; look "
         "at the strip";
}

}  // namespace

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
           "variability are told by the other beats alone" +
           unpaced_runs_words(result);
  return spike +
         "the atria are paced, so the rhythm is the pacemaker's; a spike may be taken for an R peak, and a beat that "
         "follows at another delay for V";
}

}  // namespace beatscan
