#include "app/result/words/own_shapes.h"

#include <algorithm>

#include "app/result/run_result.h"
#include "app/result/words/shape_likeness.h"
#include "app/text/numbers.h"
#include "stages/common/counted.h"
#include "stages/findings/beat_class.h"

namespace beatscan {
namespace {

constexpr double kQrsFrom_s = -0.08, kQrsTo_s = 0.1;  // from the R peak
constexpr double kAlike = 0.95;                       // least correlation of two QRS complexes of one shape

}  // namespace

std::string own_shapes_warning(const RunResult& result) {
  const auto compared = compared_shapes(result);
  if (!compared) return "";
  const auto& groups = result.findings->groups;
  const auto likeness = likeness_to_usual(*compared, kQrsFrom_s, kQrsTo_s);
  std::int64_t beats = 0, templates = 0;
  double least = 1;
  for (std::int64_t k = 0; k < std::ssize(groups); ++k) {
    if (groups[k].kind != Kind::supraventricular || groups[k].beats < kFewBeatsOfShape || likeness[k] >= kAlike)
      continue;
    beats += groups[k].beats, ++templates;
    least = std::min(least, likeness[k]);
  }
  if (templates == 0) return "";
  return grouped(beats, "beat") + " of kind S, in " + counted(templates, "template") +
         ", look unlike the usual beats (correlation of the QRS complexes down to " + fixed(least, 2) +
         "): V beats that are narrow in the leads at hand look like that, and so does S with aberrant conduction; see "
         "the shapes";
}

}  // namespace beatscan
