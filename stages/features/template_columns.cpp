#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "stages/features/beat_intervals.h"
#include "stages/features/beat_table.h"
#include "stages/features/column_groups.h"

namespace beatscan {
namespace {

constexpr double kLateRatio = 1.15;

// Returns the mean of the values of each template's beats, as a value of each beat; NaN without a template.
class TemplateMeans {
 public:
  explicit TemplateMeans(const TableBeats& beats) : template_of_(beats.r_peaks.size(), -1) {
    for (std::size_t b = 0; b < beats.kept.size(); ++b) template_of_[beats.kept[b]] = beats.template_of[b];
  }
  std::vector<double> numbers() const {
    std::vector<double> numbers(256);
    std::iota(numbers.begin(), numbers.end(), 0);
    return of_beats(numbers);
  }
  std::vector<double> sizes() const {
    std::vector<double> counts(256);
    for (const int k : template_of_)
      if (k >= 0) counts[k] += 1;
    return of_beats(counts);
  }
  std::vector<double> means(const std::function<double(std::int64_t)>& value) const {
    std::vector<double> sums(256), counts(256);
    for (std::int64_t i = 0; i < std::ssize(template_of_); ++i)
      if (const int k = template_of_[i]; k >= 0) sums[k] += value(i), counts[k] += 1;
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] /= std::max(counts[k], 1.0);
    return of_beats(sums);
  }

 private:
  std::vector<double> of_beats(const std::vector<double>& of_templates) const {
    std::vector<double> values;
    for (const int k : template_of_)
      values.push_back(k >= 0 ? of_templates[k] : std::numeric_limits<double>::quiet_NaN());
    return values;
  }
  std::vector<int> template_of_;  // [K]
};

const std::vector<float>& values_of(const std::vector<FeatureColumn>& columns, const char* name) {
  return std::ranges::find(columns, name, &FeatureColumn::name)->values;
}

}  // namespace

void add_template_columns(const TableBeats& beats, std::span<const double> ratio,
                          const std::vector<FeatureColumn>& shapes, FeatureColumns& columns) {
  const TemplateMeans of(beats);
  const auto add = [&](const char* name, const char* text, const std::vector<double>& values) {
    columns.add(name, "", text, [&](std::int64_t i) { return values[i]; });
  };
  add("template", "number of the beat's morphology template, from 0; not an input of the classifier", of.numbers());
  auto sizes = of.sizes();
  for (double& size : sizes) size = std::log(size / static_cast<double>(ratio.size()) + 0.002);
  add("template_share", "log of the share of beats with the beat's template", sizes);
  add("template_premature_share", "share of the template's beats with an RR interval below 0.88 of the local median",
      of.means([&](std::int64_t i) { return ratio[i] < kPrematureRatio; }));
  add("template_late_share", "the same above 1.15 of it",
      of.means([&](std::int64_t i) { return ratio[i] > kLateRatio; }));
  add("template_rr_ratio", "mean of the log RR ratio of the template's beats",
      of.means([&](std::int64_t i) { return std::log(ratio[i]); }));
  for (const auto& [name, from] :
       {std::pair("template_distance", "qrs_distance_max"), std::pair("template_width_ratio", "qrs_width_ratio_max"),
        std::pair("template_area_ratio", "qrs_area_ratio_max"), std::pair("template_height", "qrs_height")}) {
    const auto& values = values_of(shapes, from);
    const std::string text = std::string("mean of ") + from + " over the template's beats, each within 5";
    add(name, text.c_str(), of.means([&](std::int64_t i) { return std::clamp(values[i], -5.0F, 5.0F); }));
  }
  std::vector<double> from_centre(ratio.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t b = 0; b < beats.kept.size(); ++b)
    from_centre[beats.kept[b]] = std::log(beats.template_distance[b] + 0.01);
  add("template_deviation", "log of the beat's distance from the centre of its template", from_centre);
}

}  // namespace beatscan
