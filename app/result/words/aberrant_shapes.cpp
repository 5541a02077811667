#include "app/result/words/aberrant_shapes.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "app/result/run_result.h"
#include "app/result/words/shape_likeness.h"
#include "app/text/numbers.h"
#include "stages/common/counted.h"
#include "stages/common/robust.h"
#include "stages/findings/beat_class.h"

namespace beatscan {
namespace {

constexpr double kBeginning_s = 0.15;               // before the R peak
constexpr double kBeginsAlike = 0.75;               // least correlation of two beginnings
constexpr double kEarly = 0.7, kNext = 0.7;         // intervals before and behind, in usual intervals
constexpr double kInterpolated = 1.1, kBoth = 1.7;  // both together
constexpr double kMostly = 0.6;                     // of the beats that can be told
constexpr std::int64_t kFewestTold = 5;
constexpr std::int64_t kAround = 15;       // intervals on either side
constexpr std::int64_t kFewestAround = 5;  // of these between two N beats
constexpr std::int64_t kLookedAt = 64;     // beats of a template

// Returns the interval that is usual around beat i, in samples; NaN where few are known.
double usual_interval(const RunResult& result, std::int64_t i) {
  const auto& found = result.beats.found;
  const auto& kinds = result.findings->kinds;
  std::vector<double> intervals;
  const std::int64_t last = std::min(i + kAround, std::ssize(found.broken));
  for (std::int64_t j = std::max<std::int64_t>(i - kAround, 0); j < last; ++j)
    if (!found.broken[j] && kinds[j] == Kind::normal && kinds[j + 1] == Kind::normal)
      intervals.push_back(found.r_peaks[j + 1] - found.r_peaks[j]);
  if (std::ssize(intervals) < kFewestAround) return std::numeric_limits<double>::quiet_NaN();
  return quantile(intervals, 0.5);
}

// Says whether most beats of template k come early without a pause behind them.
bool comes_without_pause(const RunResult& result, std::int64_t k) {
  const auto& found = result.beats.found;
  std::vector<std::int64_t> beats;
  for (std::int64_t i = 1; i < std::ssize(found.broken); ++i)
    if (result.findings->templates[i] == k && result.findings->kinds[i - 1] != Kind::ventricular &&
        !found.broken[i - 1] && !found.broken[i])
      beats.push_back(i);
  std::int64_t told = 0, without = 0;
  const std::int64_t count = std::ssize(beats), looked_at = std::min(count, kLookedAt);
  for (std::int64_t n = 0; n < looked_at; ++n) {
    const std::int64_t i = beats[n * count / looked_at];
    const double usual = usual_interval(result, i);
    const double before = found.r_peaks[i] - found.r_peaks[i - 1], behind = found.r_peaks[i + 1] - found.r_peaks[i];
    told += usual > 0;
    without += before < kEarly * usual && behind > kNext * usual && before + behind > kInterpolated * usual &&
               before + behind < kBoth * usual;
  }
  return told >= kFewestTold && static_cast<double>(without) >= kMostly * static_cast<double>(told);
}

}  // namespace

std::string aberrant_shapes_warning(const RunResult& result) {
  const auto compared = compared_shapes(result);
  if (!compared || compared->before_s < kBeginning_s) return "";
  const auto& groups = result.findings->groups;
  const auto likeness = likeness_to_usual(*compared, -kBeginning_s, 0);
  std::int64_t beats = 0, templates = 0;
  for (std::int64_t k = 0; k < std::ssize(groups); ++k) {
    if (groups[k].kind != Kind::ventricular || groups[k].beats < kFewBeatsOfShape) continue;
    if (likeness[k] < kBeginsAlike || !comes_without_pause(result, k)) continue;
    beats += groups[k].beats, ++templates;
  }
  if (templates == 0) return "";
  return grouped(beats, "beat") + " of kind V, in " + counted(templates, "template") + ", " +
         by_count(beats, "begins", "begin") +
         " like the usual beats, and mostly no pause follows: early beats that are conducted with a delay (aberrant "
         "conduction) look like that, and so do some V beats; see the shapes";
}

}  // namespace beatscan
