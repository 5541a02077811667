#include "app/result/words/own_shapes.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "app/result/template_shapes.h"
#include "app/text/numbers.h"
#include "stages/common/counted.h"
#include "stages/common/likeness.h"

namespace beatscan {
namespace {

constexpr double kQrsBefore_s = 0.08, kQrsAfter_s = 0.1;  // of the R peak
constexpr double kAlike = 0.95;                           // least correlation of two QRS complexes of one shape
constexpr double kFrequent = 0.02;                        // share of the beats
constexpr std::int64_t kFewBeats = 10;                    // of a template

// The part of a row around the QRS complex: from a point to before another.
struct Window {
  std::int64_t first, end;
};

Window qrs_window(const ReportData& report, std::int64_t points) {
  const double step_s = (*report.row_before_s + *report.row_after_s) / static_cast<double>(points - 1);
  const auto place = [&](double time_s) {
    return std::clamp<std::int64_t>(std::llround((time_s + *report.row_before_s) / step_s), 0, points);
  };
  return {place(-kQrsBefore_s), place(kQrsAfter_s)};
}

// Returns the QRS complex of a template's mean beat in all leads, each around its own mean.
std::vector<double> qrs_of(const ShapeMeans& shapes, std::int64_t k, const Window& window) {
  std::vector<double> qrs;
  for (std::int64_t c = 0; c < shapes.leads; ++c) {
    const auto part = shapes.mean(c, k).subspan(window.first, window.end - window.first);
    double mean = 0;
    for (const float value : part) mean += double{value} / static_cast<double>(part.size());
    for (const float value : part) qrs.push_back(double{value} - mean);
  }
  return qrs;
}

// Returns the greatest correlation of a template with one of some others.
double likeness_to(const ShapeMeans& shapes, std::int64_t k, const std::vector<std::int64_t>& others,
                   const Window& window) {
  const auto qrs = qrs_of(shapes, k, window);
  double most = -1;
  for (const std::int64_t other : others)
    most = std::max(most, likeness_of<double>(qrs, qrs_of(shapes, other, window)).correlation);
  return most;
}

}  // namespace

std::string own_shapes_warning(const RunResult& result) {
  if (!result.findings || !result.report.row_before_s) return "";
  const auto& groups = result.findings->groups;
  const auto leads = std::ssize(result.report.reference_leads), count = std::ssize(groups);
  const auto& means = result.report.templates.means;
  if (leads == 0 || count == 0 || means.empty()) return "";
  const ShapeMeans shapes{means, leads, count, std::ssize(means) / (leads * count)};
  const Window window = qrs_window(result.report, shapes.points);
  std::vector<std::int64_t> usual;
  for (std::int64_t k = 0; k < count; ++k)
    if (groups[k].kind == Kind::normal &&
        static_cast<double>(groups[k].beats) >= kFrequent * static_cast<double>(result.beats.kept.size()))
      usual.push_back(k);
  std::int64_t beats = 0, templates = 0;
  double least = 1;
  for (std::int64_t k = 0; k < count && !usual.empty(); ++k) {
    if (groups[k].kind != Kind::supraventricular || groups[k].beats < kFewBeats) continue;
    const double likeness = likeness_to(shapes, k, usual, window);
    if (likeness >= kAlike) continue;
    beats += groups[k].beats, ++templates;
    least = std::min(least, likeness);
  }
  if (templates == 0) return "";
  return grouped(beats, "beat") + " of kind S, in " + counted(templates, "template") +
         ", look unlike the usual beats (correlation of the QRS complexes down to " + fixed(least, 2) +
         "): V beats that are narrow in the leads at hand look like that, and so does S with aberrant conduction; see "
         "the shapes";
}

}  // namespace beatscan
