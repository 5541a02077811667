#include "stages/classify/beat_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/features/beat_shapes.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/classify/accepted_intervals.h"
#include "stages/classify/columns.h"
#include "stages/classify/pacing.h"
#include "stages/io/recording/recording.h"
#include "stages/quality/quality_index.h"
#include "stages/waves/waves.h"

namespace beatscan {

const FeatureColumn* BeatFeatures::column(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &FeatureColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

namespace {

// Makes the table. lead_shapes_of(ratio) measures the shapes, given each RR interval over its local median.
template <class LeadShapesOf>
BeatFeatures table_of(const TableBeats& beats, const LeadShapesOf& lead_shapes_of) {
  const FeatureColumns none(std::ssize(beats.r_peaks));
  const auto& rr_s = beats.intervals.rr_s;
  FeatureColumns of_shapes = none, intervals = none, fibrillation = none, accepted = none, templates = none,
                 waves = none, quality = none, signal = none;
  const auto local = local_intervals(rr_s);
  LeadShapes shapes;
  run_together(
      [&] {
        shapes = lead_shapes_of(local.ratio);
        add_shape_columns(shapes, of_shapes);
        add_template_columns(beats, local.ratio, of_shapes.all(), templates);
        add_signal_columns(beats, shapes, signal);
      },
      [&] { add_interval_columns(local, intervals); }, [&] { add_fibrillation_columns(rr_s, fibrillation); },
      [&] { add_accepted_columns(rr_s, beats.intervals.accepted, accepted); },
      [&] { add_wave_columns(beats, rr_s, waves); }, [&] { add_quality_columns(beats, quality); });
  FeatureColumns& columns = intervals;
  for (auto* group : {&fibrillation, &accepted, &templates, &waves, &signal, &quality, &of_shapes})
    columns.append(std::move(*group));
  return {columns.take()};
}

}  // namespace

BeatFeatures interval_table(std::span<const double> rr_s) {
  FeatureColumns columns(std::ssize(rr_s));
  add_interval_columns(local_intervals(rr_s), columns);
  add_fibrillation_columns(rr_s, columns);
  return {columns.take()};
}

template <class Context>
BeatFeatures beat_table(Context& context, const Recording<Context>& recording, const TableBeats& beats) {
  const std::int64_t count = std::ssize(beats.r_peaks);
  BEATSCAN_EXPECTS(count > 0 && !beats.leads.empty() && std::ssize(beats.intervals.rr_s) == count &&
                       beats.template_of.size() == beats.kept.size() &&
                       beats.template_distance.size() == beats.kept.size(),
                   "beat_table: bad shape");
  return table_of(beats, [&](std::span<const double> ratio) {
    return lead_shapes(context, recording, beats, beats.intervals.rr_s, ratio);
  });
}

std::vector<std::string> beat_table_names() {  // of a table without beats
  const RrIntervals intervals;
  const BeatWaves waves;
  const BeatImpulses impulses;
  const QualityIndex quality;
  const TableBeats none{.r_peaks = {},
                        .intervals = intervals,
                        .kept = {},
                        .template_of = {},
                        .template_distance = {},
                        .waveform = {},
                        .rhythm = {},
                        .baseline = {},
                        .noise = {},
                        .leads = {},
                        .waves = waves,
                        .impulses = impulses,
                        .quality = quality,
                        .sample_rate_hz = 1};
  const auto table = table_of(none, [](std::span<const double>) { return LeadShapes{{}, {1}, {}}; });
  std::vector<std::string> names;
  for (const FeatureColumn& column : table.columns) names.push_back(column.name);
  return names;
}

#define BEATSCAN_BEAT_TABLE(Context) \
  template BeatFeatures beat_table(Context&, const Recording<Context>&, const TableBeats&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_BEAT_TABLE)

namespace {

using Probabilities = std::array<double, quality::kClasses>;

// Returns the probabilities of a lead at a sample, interpolated linearly between the middles of blocks.
Probabilities quality_of(const QualityIndex& index, std::int64_t lead, double sample) {
  const double last = static_cast<double>(index.blocks) - 1;
  const double place = std::clamp(sample / index.block_samples - 0.5, 0.0, last);
  const auto block = static_cast<std::int64_t>(place), next = std::min(block + 1, index.blocks - 1);
  const double share = place - static_cast<double>(block);
  Probabilities found{};
  for (const auto of : {quality::kGood, quality::kNoise, quality::kLost})
    found[of] = (1 - share) * index.at(lead, block, of) + share * index.at(lead, next, of);
  return found;
}

// The quality of a beat over leads.
struct BeatQuality {
  Probabilities best;
  double worst_good;
};

BeatQuality quality_over_leads(const TableBeats& beats, std::int64_t beat) {
  BeatQuality found{{kNoValue, kNoValue, kNoValue}, kNoValue};
  if (!beats.quality.exists()) return found;
  for (const std::int64_t lead : beats.leads) {
    const Probabilities own = quality_of(beats.quality, lead, beats.r_peaks[beat]);
    if (!(own[quality::kGood] <= found.best[quality::kGood])) found.best = own;
    if (!(own[quality::kGood] >= found.worst_good)) found.worst_good = own[quality::kGood];
  }
  return found;
}

}  // namespace

void add_quality_columns(const TableBeats& beats, FeatureColumns& columns) {
  std::vector<BeatQuality> found(columns.beats());
  each_beat(columns.beats(), [&](std::int64_t i) { found[i] = quality_over_leads(beats, i); });
  columns.add("quality_good", "", "probability of good signal around the beat, in the lead in which it is best",
              [&](std::int64_t i) { return found[i].best[quality::kGood]; });
  columns.add("quality_good_worst", "", "the same in the lead in which it is worst",
              [&](std::int64_t i) { return found[i].worst_good; });
  columns.add("quality_noise", "", "probability of noise around the beat, in the lead of quality_good",
              [&](std::int64_t i) { return found[i].best[quality::kNoise]; });
  columns.add("quality_lost", "", "probability that the signal is lost around the beat, in the lead of quality_good",
              [&](std::int64_t i) { return found[i].best[quality::kLost]; });
}

namespace {

// Returns the logarithm of the largest jump of an impulse over the noise floor in any lead; 0 of none.
std::vector<double> spikes_of(const std::vector<LeadImpulses>& leads, std::int64_t beats) {
  std::vector<double> found(beats);
  for (const LeadImpulses& lead : leads)
    for (std::size_t k = 0; k < lead.beats.size(); ++k) {
      double& most = found[lead.beats[k]];
      most = std::max(most, std::log1p(static_cast<double>(lead.impulses[k].over_rest)));
    }
  return found;
}

}  // namespace

void add_signal_columns(const TableBeats& beats, const LeadShapes& shapes, FeatureColumns& columns) {
  const auto of_rows = [&](std::span<const float> values) {
    std::vector<float> of_beats(columns.beats(), static_cast<float>(kNoValue));
    for (std::size_t b = 0; b < values.size(); ++b) of_beats[beats.kept[b]] = values[b];
    return of_beats;
  };
  const auto waveform = of_rows(beats.waveform), rhythm = of_rows(beats.rhythm), baseline = of_rows(beats.baseline),
             noise = of_rows(beats.noise);
  columns.add("waveform_score", "", "score of the shape, which allows for noise",
              [&](std::int64_t i) { return waveform[i]; });
  columns.add("rhythm_score", "", "score of the intervals", [&](std::int64_t i) { return rhythm[i]; });
  columns.add("baseline_score", "", "score of the shape without allowance for noise, and of the intervals",
              [&](std::int64_t i) { return baseline[i]; });
  columns.add("noise_factor", "", "shape score that noise gives a normal beat in the deciding lead, 1 in a clean lead",
              [&](std::int64_t i) { return noise[i]; });
  const double amplitude = std::log(std::max(*std::ranges::max_element(shapes.amplitude_mv), 1e-3));
  columns.add("qrs_height_mv", "", "log of the dominant QRS complex's height in mV, of the lead in which it is highest",
              [&](std::int64_t) { return amplitude; });
  const auto atrial = spikes_of(beats.impulses.early, columns.beats()),
             ventricular = spikes_of(beats.impulses.late, columns.beats());
  columns.add("pacing_spike_atrial", "",
              "log(1 + amplitude over the noise floor) of a pacing spike 330 to 140 ms before R; 0 without",
              [&](std::int64_t i) { return atrial[i]; });
  columns.add("pacing_spike_ventricular", "", "the same from 140 ms before to 15 ms after R",
              [&](std::int64_t i) { return ventricular[i]; });
}

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
