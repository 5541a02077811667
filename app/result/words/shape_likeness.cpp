#include "app/result/words/shape_likeness.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "app/result/report_data.h"
#include "app/result/run_result.h"
#include "stages/common/likeness.h"
#include "stages/findings/beat_class.h"

namespace beatscan {
namespace {

constexpr double kFrequent = 0.02;  // share of the beats
constexpr double kFlat = 1e-6;      // of a lead's largest value; a float has 6 to 7 digits

// A part of a row: from a point to before another.
struct Window {
  std::int64_t first, end;
};

Window window_of(const ComparedShapes& compared, double from_s, double to_s) {
  const std::int64_t points = compared.shapes.points;
  const double step_s = (compared.before_s + compared.after_s) / static_cast<double>(points - 1);
  const auto place = [&](double time_s) {
    return std::clamp<std::int64_t>(std::llround((time_s + compared.before_s) / step_s), 0, points);
  };
  return {place(from_s), place(to_s)};
}

// Returns a part of a lead around its own mean.
std::vector<double> part_of(std::span<const float> lead, const Window& window) {
  const auto part = lead.subspan(window.first, window.end - window.first);
  double mean = 0;
  for (const float value : part) mean += double{value} / static_cast<double>(part.size());
  std::vector<double> values;
  for (const float value : part) values.push_back(double{value} - mean);
  return values;
}

// Returns what a part of a lead is multiplied by: the root of the lead's weight over the size of the usual beat's part;
// 0 if nothing but rounding is left of that.
//   part  of the usual beat, around its own mean
double scale_of(std::span<const float> lead, const std::vector<double>& part, const Window& window, double weight) {
  double squares = 0, largest = 0;
  for (const double value : part) squares += value * value;
  for (std::int64_t i = window.first; i < window.end; ++i) largest = std::max(largest, std::abs(double{lead[i]}));
  const double size = std::sqrt(squares);
  return size > kFlat * largest ? std::sqrt(weight) / size : 0;
}

// Returns a part of each template's mean beat, lead after lead on their scales.
std::vector<std::vector<double>> parts_of(const ComparedShapes& compared, const Window& window) {
  const ShapeMeans& shapes = compared.shapes;
  std::vector<std::vector<double>> parts(shapes.templates);
  for (std::int64_t c = 0; c < shapes.leads; ++c) {
    const auto usual = shapes.mean(c, compared.usual.front());
    const double scale = scale_of(usual, part_of(usual, window), window, compared.lead_weights[c]);
    if (scale == 0) continue;
    for (std::int64_t k = 0; k < shapes.templates; ++k)
      for (const double value : part_of(shapes.mean(c, k), window)) parts[k].push_back(scale * value);
  }
  return parts;
}

}  // namespace

std::optional<ComparedShapes> compared_shapes(const RunResult& result) {
  const ReportData& report = result.report;
  if (!result.findings || !report.row_before_s || !report.row_after_s) return {};
  const auto& groups = result.findings->groups;
  const auto& means = report.templates.means;
  const auto& weights = report.templates.lead_weights;
  const auto leads = std::ssize(report.reference_leads), count = std::ssize(groups);
  if (leads == 0 || count == 0 || means.empty() || std::ssize(weights) != leads) return {};
  std::vector<std::int64_t> usual;
  for (std::int64_t k = 0; k < count; ++k)
    if (groups[k].kind == Kind::normal &&
        static_cast<double>(groups[k].beats) >= kFrequent * static_cast<double>(result.beats.kept.size()))
      usual.push_back(k);
  if (usual.empty()) return {};
  const ShapeMeans shapes{means, leads, count, std::ssize(means) / (leads * count)};
  return ComparedShapes{shapes, weights, usual, *report.row_before_s, *report.row_after_s};
}

std::vector<double> likeness_to_usual(const ComparedShapes& compared, double from_s, double to_s) {
  const auto parts = parts_of(compared, window_of(compared, from_s, to_s));
  std::vector<double> likeness(parts.size(), -1);
  for (std::size_t k = 0; k < parts.size(); ++k)
    for (const std::int64_t usual : compared.usual)
      likeness[k] = std::max(likeness[k], likeness_of<double>(parts[k], parts[usual]).correlation);
  return likeness;
}

}  // namespace beatscan
