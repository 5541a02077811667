#include <algorithm>
#include <array>
#include <cmath>

#include "stages/features/beat_intervals.h"
#include "stages/features/beat_table.h"
#include "stages/features/column_groups.h"

namespace beatscan {
namespace {

constexpr double kLateRatio = 1.15;
constexpr int kTemplates = 256;  // their numbers are bytes

const std::vector<float>& values_of(const std::vector<FeatureColumn>& columns, const char* name) {
  return std::ranges::find(columns, name, &FeatureColumn::name)->values;
}

// Means over the beats of each template.
struct TemplateMeans {
  enum Of : int { kPremature, kLate, kRatio, kDistance, kMeans = kDistance + 4 };  // kDistance + k: of kShapeMeans
  std::array<double, kTemplates> beats{};
  std::array<std::array<double, kMeans>, kTemplates> means{};
};

// The columns of shapes of which means are taken, and what the columns of means are called.
struct ShapeMean {
  const char *name, *from;
};
constexpr std::array<ShapeMean, 4> kShapeMeans{{{"template_distance", "qrs_distance_max"},
                                                {"template_width_ratio", "qrs_width_ratio_max"},
                                                {"template_area_ratio", "qrs_area_ratio_max"},
                                                {"template_height", "qrs_height"}}};

TemplateMeans template_means(const TableBeats& beats, std::span<const double> ratio,
                             const std::vector<FeatureColumn>& shapes) {
  TemplateMeans found;
  std::array<const float*, kShapeMeans.size()> of_shapes{};
  for (std::size_t k = 0; k < of_shapes.size(); ++k) of_shapes[k] = values_of(shapes, kShapeMeans[k].from).data();
  for (std::size_t b = 0; b < beats.kept.size(); ++b) {
    const std::int64_t i = beats.kept[b];
    auto& sums = found.means[beats.template_of[b]];
    found.beats[beats.template_of[b]] += 1;
    sums[TemplateMeans::kPremature] += ratio[i] < kPrematureRatio;
    sums[TemplateMeans::kLate] += ratio[i] > kLateRatio;
    sums[TemplateMeans::kRatio] += std::log(ratio[i]);
    for (std::size_t k = 0; k < of_shapes.size(); ++k)
      sums[TemplateMeans::kDistance + k] += std::clamp(of_shapes[k][i], -5.0F, 5.0F);
  }
  for (int k = 0; k < kTemplates; ++k)
    for (double& sum : found.means[k]) sum /= std::max(found.beats[k], 1.0);
  return found;
}

}  // namespace

void add_template_columns(const TableBeats& beats, std::span<const double> ratio,
                          const std::vector<FeatureColumn>& shapes, FeatureColumns& columns) {
  const TemplateMeans found = template_means(beats, ratio, shapes);
  std::vector<int> template_of(ratio.size(), -1);
  std::vector<double> from_centre(ratio.size(), kNoValue);
  each_beat(std::ssize(beats.kept), [&](std::int64_t b) {
    template_of[beats.kept[b]] = beats.template_of[b];
    from_centre[beats.kept[b]] = std::log(beats.template_distance[b] + 0.01);
  });
  const auto add = [&](const char* name, const std::string& text, const auto& of_template) {  // NaN without one
    columns.add(name, "", text, [&](std::int64_t i) {
      return template_of[i] >= 0 ? static_cast<double>(of_template(template_of[i])) : kNoValue;
    });
  };
  const auto add_mean = [&](const char* name, const std::string& text, int which) {
    add(name, text, [&](int k) { return found.means[k][which]; });
  };
  add("template", "number of the beat's morphology template, from 0; not an input of the classifier",
      [](int k) { return k; });
  add("template_share", "log of the share of beats with the beat's template",
      [&](int k) { return std::log(found.beats[k] / static_cast<double>(ratio.size()) + 0.002); });
  add_mean("template_premature_share",
           "share of the template's beats with an RR interval below 0.88 of the local median",
           TemplateMeans::kPremature);
  add_mean("template_late_share", "the same above 1.15 of it", TemplateMeans::kLate);
  add_mean("template_rr_ratio", "mean of the log RR ratio of the template's beats", TemplateMeans::kRatio);
  for (std::size_t k = 0; k < kShapeMeans.size(); ++k)
    add_mean(kShapeMeans[k].name,
             std::string("mean of ") + kShapeMeans[k].from + " over the template's beats, each within 5",
             TemplateMeans::kDistance + static_cast<int>(k));
  columns.add("template_deviation", "", "log of the beat's distance from the centre of its template",
              [&](std::int64_t i) { return from_centre[i]; });
}

}  // namespace beatscan
