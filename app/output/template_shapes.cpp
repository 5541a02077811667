#include "app/output/template_shapes.h"

#include <algorithm>
#include <cmath>

#include "app/output/report_overview.h"
#include "app/output/run_result.h"
#include "kernels/templates/shape_distances.h"
#include "stages/classify/beat_findings.h"
#include "stages/common/similarity.h"
#include "stages/windows/embedded_beats.h"
#include "stages/windows/row_options.h"

namespace beatscan {
namespace {

constexpr double kWidthFrom_s = -0.110, kWidthTo_s = 0.160;  // the part whose slopes count; the R peak is at 0
constexpr double kWidthSigma_s = 0.00265;                    // of the Gaussian that smooths a mean beat

// Returns the points of a row whose slopes count.
WidthRange width_range(std::int64_t points, const RowOptions& rows, double step_s) {
  const auto place = [&](double time_s) { return (time_s + rows.before_s) / step_s; };
  const auto first =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(place(kWidthFrom_s) - 1e-9)), 0, points - 1);
  const auto last = static_cast<std::int64_t>(std::floor(place(kWidthTo_s) + 1e-9)) + 1;
  return {points, first, std::clamp<std::int64_t>(last, first + 1, points)};
}

// The rows of one template, ascending.
struct ShapeMembers {
  std::vector<std::int64_t> good, all;
  const std::vector<std::int64_t>& preferred() const { return good.empty() ? all : good; }
};

std::vector<ShapeMembers> members_of(const BeatFacts& beats, const Findings& findings) {
  std::vector<ShapeMembers> members(findings.groups.size());
  const auto& kept = beats.kept;
  for (std::int64_t row = 0; row < std::ssize(kept); ++row) {
    const auto k = findings.templates[kept[row]];
    if (k < 0) continue;
    members[k].all.push_back(row);
    if (beats.found.quality[kept[row]] == Quality::good) members[k].good.push_back(row);
  }
  return members;
}

// Returns at most `most` of the rows, evenly spaced.
std::vector<std::int64_t> spread_evenly(const std::vector<std::int64_t>& rows, std::int64_t most) {
  const auto count = std::ssize(rows), taken = std::min(count, most);
  std::vector<std::int64_t> some(taken);
  for (std::int64_t i = 0; i < taken; ++i) some[i] = rows[i * count / taken];
  return some;
}

// Cuts some beats from all leads, scaled by each lead's median beat: [C][n][D].
template <class Context>
std::vector<float> beats_on_scale(Context& context, const EmbeddedBeats<Context>& embedded, std::int64_t beats,
                                  const std::vector<std::int64_t>& rows) {
  const std::int64_t points = embedded.rows.points;
  std::vector<std::int64_t> firsts;
  for (std::int64_t c = 0; c < std::ssize(embedded.leads); ++c)
    for (const std::int64_t row : rows) firsts.push_back((c * beats + row) * points);
  auto values = cut_to_host<Context>(context, embedded.rows.values, firsts, points);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& reference = embedded.leads[i / (rows.size() * points)].beats.reference;
    values[i] = static_cast<float>(reference.median[i % points] + reference.spread * values[i]);
  }
  return values;
}

// The mean of a template's beats, in the scale of the median beats.
struct ShapeMean {
  std::vector<double> mean;                // [C][D]
  std::int64_t nearest = 0, furthest = 0;  // indices of the beats nearest to it and furthest from it
  double spread = 0;
};

// `values` are beats [leads][count][points]. A lead without signal has NaN there and does not count.
ShapeMean mean_of(std::span<const float> values, std::int64_t leads, std::int64_t count, std::int64_t points) {
  ShapeMean shape{.mean = std::vector<double>(leads * points)};
  const auto value = [&](std::int64_t c, std::int64_t i, std::int64_t j) {
    return values[(c * count + i) * points + j];
  };
  double size = 0, all = 0, least = INFINITY, most = -INFINITY;
  for (std::int64_t c = 0; c < leads; ++c)
    for (std::int64_t j = 0; j < points; ++j) {
      double sum = 0, known = 0;
      for (std::int64_t i = 0; i < count; ++i)
        if (std::isfinite(value(c, i, j))) sum += value(c, i, j), ++known;
      const double mean = known > 0 ? sum / known : 0;
      shape.mean[c * points + j] = mean;
      size += mean * mean;
    }
  for (std::int64_t i = 0; i < count; ++i) {
    double distance = 0;
    for (std::int64_t c = 0; c < leads; ++c)
      for (std::int64_t j = 0; j < points; ++j)
        if (std::isfinite(value(c, i, j))) distance += std::pow(value(c, i, j) - shape.mean[c * points + j], 2);
    all += distance;
    if (distance < least) least = distance, shape.nearest = i;
    if (distance > most) most = distance, shape.furthest = i;
  }
  shape.spread = size > 0 ? std::sqrt(all / static_cast<double>(count) / size) : 0;
  return shape;
}

// Returns the first template of class N, or the first one if there is none.
std::int64_t dominant_group(const std::vector<BeatGroup>& groups) {
  const auto first = std::ranges::find(groups, BeatClass::normal, &BeatGroup::beat_class);
  return first == groups.end() ? 0 : first - groups.begin();
}

}  // namespace

std::vector<double> mean_widths_ms(const ShapeMeans& shapes, std::span<const double> lead_weights,
                                   std::int64_t dominant, const RowOptions& rows) {
  const double step_s = (rows.before_s + rows.after_s) / static_cast<double>(shapes.points - 1);
  const WidthRange range = width_range(shapes.points, rows, step_s);
  const auto taps = slope_taps(kWidthSigma_s / step_s);
  const double point_ms = 1000 * step_s;
  std::vector<double> widths;
  for (std::int64_t k = 0; k < shapes.templates; ++k) {
    std::vector<double> energy(range.last - range.first);
    for (std::int64_t c = 0; c < shapes.leads; ++c) {
      const double size = deviation_of(shapes.mean(c, dominant));
      if (!(size > 0)) continue;
      const auto slopes = slopes_of(shapes.mean(c, k), range, taps);
      for (std::size_t j = 0; j < energy.size(); ++j) energy[j] += lead_weights[c] * std::pow(slopes[j] / size, 2);
    }
    double sum = 0, squares = 0;
    for (const double value : energy) sum += std::sqrt(value), squares += value;
    widths.push_back(squares > 0 ? point_ms * sum * sum / squares : NAN);
  }
  return widths;
}

template <class Context>
TemplateShapes template_shapes(Context& context, const EmbeddedBeats<Context>& embedded, const BeatFacts& found,
                               const Findings& findings, const RowOptions& row_options) {
  TemplateShapes shapes;
  if (embedded.leads.empty()) return shapes;
  const auto members = members_of(found, findings);
  const std::int64_t leads = std::ssize(embedded.leads), points = embedded.rows.points, count = std::ssize(members),
                     beats = std::ssize(found.kept);
  const auto most =
      std::clamp<std::int64_t>(kTemplatesRows / std::max<std::int64_t>(leads * count, 1), 8, kTemplateRows);
  shapes.means.resize(leads * count * points);
  for (std::int64_t k = 0; k < count; ++k) {
    const auto rows = spread_evenly(members[k].preferred(), most);
    const auto values = beats_on_scale(context, embedded, beats, rows);
    const ShapeMean shape = mean_of(values, leads, std::ssize(rows), points);
    for (std::int64_t c = 0; c < leads; ++c) {
      const double amplitude = embedded.leads[c].beats.reference.amplitude;
      for (std::int64_t j = 0; j < points; ++j)
        shapes.means[(c * count + k) * points + j] = static_cast<float>(amplitude * shape.mean[c * points + j]);
    }
    shapes.typical.push_back(found.kept[rows[shape.nearest]]);
    shapes.most_atypical.push_back(found.kept[rows[shape.furthest]]);
    shapes.spread.push_back(shape.spread);
  }
  for (const auto& lead : embedded.leads) shapes.lead_weights.push_back(clearness(lead.beats.reference.spread));
  if (count > 0)
    shapes.width_ms = mean_widths_ms({shapes.means, leads, count, points}, shapes.lead_weights,
                                     dominant_group(findings.groups), row_options);
  return shapes;
}

#define BEATSCAN_TEMPLATE_SHAPES(Context)                                                                             \
  template TemplateShapes template_shapes(Context&, const EmbeddedBeats<Context>&, const BeatFacts&, const Findings&, \
                                          const RowOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_TEMPLATE_SHAPES)

}  // namespace beatscan
