#include "stages/findings/template_facts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/runtime/parallel.h"
#include "kernels/shapes/shape_distances.h"
#include "kernels/shapes/shape_groups.h"
#include "kernels/shapes/shape_sums.h"
#include "kernels/shapes/shape_widths.h"
#include "stages/common/robust.h"
#include "stages/findings/clusters.h"
#include "stages/findings/finding_options.h"
#include "stages/findings/templates.h"
#include "stages/rows/embedded_beats.h"
#include "stages/rows/row_options.h"

namespace beatscan {
namespace {

constexpr std::int64_t kMeasuredWidths = 512;  // number of beats that the usual width is measured on

// Returns the mean row of the beats of each template that are nearer than most, [T][D] of one lead.
template <class Context>
std::vector<float> mean_rows(Context& context, std::span<const float> rows, std::int64_t points,
                             const Buffer<std::uint8_t, Context>& groups, std::int64_t count) {
  Buffer<std::int64_t, Context> sums(context, count * points), counts(context, count);
  group_sums<float>(context, rows, groups, sums, counts);
  const auto [all, members] = to_hosts(context, sums, counts);
  std::vector<float> means(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto beats = static_cast<double>(std::max<std::int64_t>(members[i / points], 1));
    means[i] = static_cast<float>(static_cast<double>(all[i]) / kSumParts / beats);
  }
  return means;
}

// Returns the widths of the templates' mean beats.
template <class Context>
std::vector<double> widths_of_templates(Context& context, const EmbeddedBeats<Context>& embedded,
                                        const BeatTemplates<Context>& templates,
                                        const std::vector<float>& median_distances, const WidthScale& scale) {
  const std::int64_t count = templates.size();
  Buffer<std::uint8_t, Context> groups(context, embedded.beats());
  nearer_half(context, templates.nearest, templates.distances, from_host(context, median_distances), groups);
  std::vector<std::vector<float>> rows;
  std::vector<std::vector<double>> slopes;
  for (const auto& lead : embedded.leads) {
    rows.push_back(mean_rows(context, lead.beats.rows.span(), scale.range.points, groups, count));
    slopes.push_back(slopes_of(lead.beats.reference.median, scale.range, scale.taps));
  }
  std::vector<WidthLead> leads;
  for (std::size_t l = 0; l < rows.size(); ++l)
    leads.push_back({rows[l], slopes[l], embedded.leads[l].beats.reference.spread, templates.lead_weights[l]});
  std::vector<std::int64_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> widths(count);
  Cpu cpu(1);
  shape_widths(cpu, leads, scale.range, all, scale.taps, widths);
  return widths;
}

// Returns the widths of single beats.
template <class Context>
std::vector<double> widths_of_beats(Context& context, const EmbeddedBeats<Context>& embedded,
                                    const BeatTemplates<Context>& templates, const std::vector<std::int64_t>& beats,
                                    const WidthScale& scale) {
  std::vector<Buffer<double, Context>> slopes;
  std::vector<WidthLead> leads;
  for (const auto& lead : embedded.leads)
    slopes.push_back(from_host(context, slopes_of(lead.beats.reference.median, scale.range, scale.taps)));
  for (std::size_t l = 0; l < slopes.size(); ++l) {
    const auto& lead = embedded.leads[l].beats;
    leads.push_back({lead.rows, slopes[l], lead.reference.spread, templates.lead_weights[l]});
  }
  Buffer<double, Context> widths(context, std::ssize(beats));
  shape_widths(context, leads, scale.range, from_host(context, beats), from_host(context, scale.taps), widths);
  return to_host(context, widths);
}

// Returns TemplateFacts::next_ratio of each template, [T].
template <class Context>
std::vector<double> median_next_ratios(const BeatTemplates<Context>& templates, const std::vector<double>& next_ratio,
                                       double near) {
  std::vector<std::vector<double>> known(templates.size());
  for (std::size_t b = 0; b < next_ratio.size(); ++b)
    if (std::isfinite(next_ratio[b]) && templates.distance[b] <= near)
      known[templates.template_of[b]].push_back(next_ratio[b]);
  std::vector<double> medians;
  for (const auto& its : known) medians.push_back(its.empty() ? 1 : quantile(its, 0.5));
  return medians;
}

double log_ratio(double value, double usual) { return std::log(std::max(value, 1e-6 * usual) / usual); }

// Returns some of the first template's beats, evenly spread.
std::vector<std::int64_t> usual_beats(const std::vector<std::uint8_t>& template_of, std::int64_t count) {
  std::vector<std::int64_t> beats;
  const std::int64_t most = std::min(count, kMeasuredWidths);
  std::int64_t seen = 0;
  for (std::int64_t b = 0; b < std::ssize(template_of) && std::ssize(beats) < most; ++b)
    if (template_of[b] == 0 && seen++ == std::ssize(beats) * count / most) beats.push_back(b);
  return beats;
}

}  // namespace

WidthScale width_scale(std::int64_t points, const RowOptions& rows, const WidthOptions& options, double sigma_s) {
  const double step = (rows.before_s + rows.after_s) / static_cast<double>(points - 1);
  const auto place = [&](double time_s) { return (time_s + rows.before_s) / step; };
  const auto first =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(place(options.from_s) - 1e-9)), 0, points - 1);
  const auto last = static_cast<std::int64_t>(std::floor(place(options.to_s) + 1e-9)) + 1;
  return {{points, first, std::clamp<std::int64_t>(last, first + 1, points)}, slope_taps(sigma_s / step)};
}

template <class Context>
std::vector<float> median_distances(const BeatTemplates<Context>& templates) {
  std::vector<float> medians;
  for (const auto& distances : by_template(templates, templates.distance))
    medians.push_back(static_cast<float>(quantile(distances, 0.5)));
  return medians;
}

template <class Context>
Facts facts_of(Context& context, const EmbeddedBeats<Context>& embedded, const RowOptions& rows,
               const BeatTemplates<Context>& templates, const std::vector<float>& median_distances,
               const BeatTimesOf& times, const FactLimits& limits, const WidthOptions& options) {
  const std::int64_t count = templates.size();
  const auto squares = to_host(context, templates.squares);
  std::vector<double> widths, next_ratios;
  std::vector<std::int64_t> energy(count), early(count), known(count);
  run_together(
      [&] {
        widths = widths_of_templates(context, embedded, templates, median_distances,
                                     width_scale(embedded.rows.points, rows, options, options.mean_sigma_s));
      },
      [&] {
        for (std::size_t b = 0; b < squares.size(); ++b) {
          const std::uint8_t k = templates.template_of[b];
          energy[k] += squares[b];
          early[k] += times.ratio[b] < limits.early_ratio;
          known[k] += std::isfinite(times.ratio[b]);
        }
      },
      [&] { next_ratios = median_next_ratios(templates, times.next_ratio, limits.near); });
  Facts facts{.distances = distances_between(templates.centres, templates.width, templates.floor)};
  const auto mean = [&](std::int64_t k) {
    return static_cast<double>(energy[k]) / static_cast<double>(templates.counts[k]);
  };
  facts.usual_energy = std::max(mean(0), 1.0);
  for (std::int64_t k = 0; k < count; ++k) {
    const double share = known[k] > 0 ? static_cast<double>(early[k]) / static_cast<double>(known[k]) : 0;
    facts.templates.push_back({templates.counts[k], log_ratio(mean(k), facts.usual_energy),
                               log_ratio(widths[k], std::max(widths[0], 1e-6)), share, next_ratios[k]});
  }
  return facts;
}

template <class Context>
SingleBeats single_beats(Context& context, const EmbeddedBeats<Context>& embedded, const RowOptions& rows,
                         const BeatTemplates<Context>& templates, const std::vector<std::int64_t>& beats,
                         const std::vector<std::int64_t>& usual, double usual_energy, const WidthOptions& options) {
  const std::int64_t count = std::ssize(beats), width = templates.width;
  SingleBeats single;
  if (count == 0) return single;
  auto measured = beats;
  const auto first = usual_beats(templates.template_of, templates.counts[0]);
  measured.insert(measured.end(), first.begin(), first.end());
  auto widths = widths_of_beats(context, embedded, templates, measured,
                                width_scale(embedded.rows.points, rows, options, options.beat_sigma_s));
  std::vector<double> normal(widths.begin() + count, widths.end());
  const double normal_width = std::max(quantile(normal, 0.5), 1e-6);
  std::vector<std::int16_t> usual_centres;
  for (const std::int64_t k : usual)
    usual_centres.insert(usual_centres.end(), templates.centre(k).begin(), templates.centre(k).end());
  const auto places = from_host(context, beats);
  const auto centres = from_host(context, usual_centres);
  Buffer<std::int16_t, Context> shapes(context, count * width);
  Buffer<std::int64_t, Context> squares(context, count), centre_squares(context, std::ssize(usual));
  Buffer<std::uint8_t, Context> nearest(context, count);
  Buffer<float, Context> distances(context, count);
  gather_shapes(context, templates.shapes, places, width, shapes);
  shape_squares(context, shapes, squares);
  shape_squares(context, centres, centre_squares);
  nearest_shapes(context, {shapes, squares}, {centres, centre_squares}, width, templates.floor, nearest, distances);
  const auto [energies, from] = to_hosts(context, squares, distances);
  single.from_usual = from;
  for (std::int64_t i = 0; i < count; ++i) {
    single.log_energy.push_back(log_ratio(static_cast<double>(energies[i]), usual_energy));
    single.log_width.push_back(log_ratio(widths[i], normal_width));
  }
  return single;
}

#define BEATSCAN_TEMPLATE_FACTS(Context)                                                                             \
  template std::vector<float> median_distances(const BeatTemplates<Context>&);                                       \
  template Facts facts_of(Context&, const EmbeddedBeats<Context>&, const RowOptions&, const BeatTemplates<Context>&, \
                          const std::vector<float>&, const BeatTimesOf&, const FactLimits&, const WidthOptions&);    \
  template SingleBeats single_beats(Context&, const EmbeddedBeats<Context>&, const RowOptions&,                      \
                                    const BeatTemplates<Context>&, const std::vector<std::int64_t>&,                 \
                                    const std::vector<std::int64_t>&, double, const WidthOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_TEMPLATE_FACTS)

}  // namespace beatscan
