#include "app/result/words/shape_likeness.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "stages/common/likeness.h"

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

// Returns the size of a part around its own mean; 0 if nothing but rounding is left.
double size_of(std::span<const float> lead, const Window& window) {
  double squares = 0, largest = 0;
  for (const double value : part_of(lead, window)) squares += value * value;
  for (std::int64_t i = window.first; i < window.end; ++i) largest = std::max(largest, std::abs(double{lead[i]}));
  const double size = std::sqrt(squares);
  return size > kFlat * largest ? size : 0;
}

// Returns a part of a template's mean beat, lead after lead, over the size that it has in the first usual template, and
// times the root of the lead's weight.
std::vector<double> part_of_leads(const ComparedShapes& compared, std::int64_t k, const Window& window) {
  std::vector<double> values;
  for (std::int64_t c = 0; c < compared.shapes.leads; ++c) {
    const double size = size_of(compared.shapes.mean(c, compared.usual.front()), window);
    if (size == 0) continue;
    const double scale = std::sqrt(compared.lead_weights[c]) / size;
    for (const double value : part_of(compared.shapes.mean(c, k), window)) values.push_back(scale * value);
  }
  return values;
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

double likeness_to_usual(const ComparedShapes& compared, std::int64_t k, double from_s, double to_s) {
  const Window window = window_of(compared, from_s, to_s);
  const auto part = part_of_leads(compared, k, window);
  double most = -1;
  for (const std::int64_t other : compared.usual)
    most = std::max(most, likeness_of<double>(part, part_of_leads(compared, other, window)).correlation);
  return most;
}

}  // namespace beatscan
