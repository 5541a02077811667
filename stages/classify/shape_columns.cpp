#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/features/beat_measures.h"
#include "kernels/features/beat_shapes.h"
#include "kernels/features/medians.h"
#include "kernels/runtime/parallel.h"
#include "kernels/waves/amplitudes.h"
#include "kernels/waves/cut_windows.h"
#include "stages/classify/accepted_intervals.h"
#include "stages/classify/beat_table.h"
#include "stages/classify/columns.h"
#include "stages/common/robust.h"
#include "stages/io/recording/recording.h"

namespace beatscan {

namespace {

using namespace features;

// The number of windows that are held at a time: a multiple of kBlock.
template <class Context>
constexpr std::int64_t kRangeBeats = std::is_same_v<Context, Cpu> ? 4096 : 32768;
constexpr std::size_t kDominantBeats = 512;  // beats whose median is the dominant beat
constexpr std::size_t kSampleBeats = 200;    // beats that each beat is compared with

using Flags = std::vector<std::uint8_t>;

// Marks the beats of the dominant shape that are not premature. The more of a template's beats are premature, the less
// it counts.
Flags dominant_beats(const TableBeats& beats, std::span<const double> ratio) {
  std::vector<double> counts(256), early(256);
  for (std::size_t b = 0; b < beats.kept.size(); ++b) {
    counts[beats.template_of[b]] += 1;
    early[beats.template_of[b]] += ratio[beats.kept[b]] < kPrematureRatio;
  }
  const auto worth = [&](std::size_t k) { return counts[k] - std::min(2.5 * early[k], 0.97 * counts[k]); };
  std::size_t largest = 0;
  for (std::size_t k = 1; k < counts.size(); ++k)
    if (worth(k) > worth(largest)) largest = k;
  const auto marked = [&](bool on_time) {
    Flags flags(ratio.size());
    for (std::size_t b = 0; b < beats.kept.size(); ++b)
      flags[beats.kept[b]] = beats.template_of[b] == largest && (!on_time || ratio[beats.kept[b]] >= kPrematureRatio);
    return flags;
  };
  constexpr std::ptrdiff_t kFewest = 5;
  for (auto flags : {marked(true), marked(false)})
    if (std::ranges::count(flags, 1) >= kFewest) return flags;
  return Flags(ratio.size(), 1);
}

// One lead, of which windows are cut.
template <class Context>
class LeadWindows {
 public:
  LeadWindows(Context& context, const RecordedLead<Context>& lead, double rate_hz)
      : context_(context),
        signal_{.samples = lead.samples,
                .gap_firsts = lead.gap_firsts,
                .gap_lasts = lead.gap_lasts,
                .rate_hz = rate_hz,
                .mv_per_unit = lead.scale.mv_per_unit},
        levels_(context, waves::baseline_blocks(lead.samples.size(), rate_hz)),
        table_(waves::sampling_table(context, rate_hz)) {
    waves::baseline(context, signal_, levels_);
  }

  // Returns windows around some R peaks, [W][160].
  Buffer<float, Context> operator()(const std::vector<double>& r_peaks) {
    Buffer<float, Context> windows(context_, std::ssize(r_peaks) * waves::kValues);
    waves::cut_windows(context_, signal_, levels_, table_, from_host(context_, r_peaks), windows);
    Buffer<float, Context> halves(context_, std::ssize(r_peaks) * kValues);
    halve_windows(context_, windows, halves);
    return halves;
  }
  std::vector<float> on_host(const std::vector<double>& r_peaks) { return to_host(context_, (*this)(r_peaks)); }

 private:
  Context& context_;
  waves::LeadSignal signal_;
  Buffer<double, Context> levels_;
  waves::SamplingTable<Context> table_;
};

std::vector<double> peaks_at(std::span<const double> r_peaks, const std::vector<std::int64_t>& places) {
  std::vector<double> some;
  for (const std::int64_t i : places) some.push_back(r_peaks[i]);
  return some;
}

// Returns the median of dominant beats, without those that differ from it where enough are left.
template <class Context>
std::vector<float> dominant_beat(LeadWindows<Context>& windows_at, std::span<const double> r_peaks,
                                 const Flags& dominant) {
  Cpu cpu;
  const auto windows = windows_at.on_host(peaks_at(r_peaks, sample_places(dominant, kDominantBeats)));
  auto median = median_window(cpu, windows);
  std::vector<float> correlations(windows.size() / kValues), similar;
  qrs_correlations(cpu, windows, median, correlations);
  for (std::size_t w = 0; w < correlations.size(); ++w)
    if (correlations[w] > kDominantCorrelation)
      similar.insert(similar.end(), windows.begin() + w * kValues, windows.begin() + (w + 1) * kValues);
  return 4 * similar.size() > windows.size() ? median_window(cpu, similar) : median;
}

template <class Context>
LeadReference reference_of(LeadWindows<Context>& windows_at, std::span<const double> r_peaks,
                           std::span<const double> ratio, const Flags& dominant) {
  LeadReference reference{
      .dominant = dominant_beat(windows_at, r_peaks, dominant), .sample = {}, .sample_ratio = {}, .is_early = {}};
  const auto places = sample_places(Flags(r_peaks.size(), 1), kSampleBeats);
  const auto windows = windows_at.on_host(peaks_at(r_peaks, places));
  reference.sample.resize(places.size() * kQrsValues);
  for (std::size_t s = 0; s < places.size(); ++s) {
    unit_qrs(&windows[s * kValues], &reference.sample[s * kQrsValues]);
    reference.sample_ratio.push_back(static_cast<float>(ratio[places[s]]));
    reference.is_early.push_back(ratio[places[s]] < kPrematureRatio);
  }
  return reference;
}

// Returns the measures of all beats in one lead on the host.
template <class Context>
std::vector<float> measures_of(Context& context, LeadWindows<Context>& windows_at, const LeadReference& reference,
                               std::span<const double> r_peaks, std::span<const std::uint8_t> dominant,
                               std::span<const float> rr) {
  const std::int64_t count = std::ssize(r_peaks);
  Buffer<float, Context> measures(context, count * kShapeMeasures);
  for (std::int64_t first = 0; first < count; first += kRangeBeats<Context>) {
    const std::int64_t last = std::min(first + kRangeBeats<Context>, count);
    const std::int64_t low = std::max<std::int64_t>(first - kNeighbours, 0), high = std::min(last + kNeighbours, count);
    const auto windows = windows_at({r_peaks.begin() + low, r_peaks.begin() + high});
    const ShapeRange range{.first = first,
                           .skip = first - low,
                           .beats = last - first,
                           .windows = windows,
                           .dominant = dominant.subspan(low, high - low),
                           .rr_s = rr.subspan(low, high - low)};
    beat_shapes(context, range, reference,
                measures.span().subspan(first * kShapeMeasures, (last - first) * kShapeMeasures));
  }
  return to_host(context, measures);
}

}  // namespace

template <class Context>
LeadShapes lead_shapes(Context& context, const Recording<Context>& recording, const TableBeats& beats,
                       std::span<const double> rr_s, std::span<const double> ratio) {
  const std::int64_t count = std::ssize(beats.r_peaks);
  LeadShapes shapes{.leads = {}, .amplitude_mv = {}, .dominant = dominant_beats(beats, ratio)};
  const auto rr = from_host(context, std::vector<float>(rr_s.begin(), rr_s.end()));
  const auto dominant = from_host(context, shapes.dominant);
  for (const std::int64_t number : beats.leads) {
    if (beats.sample_rate_hz < waves::kLeastRateHz || beats.sample_rate_hz > waves::kMostRateHz) {
      shapes.leads.emplace_back(count * kShapeMeasures, std::numeric_limits<float>::quiet_NaN());
      shapes.amplitude_mv.push_back(0);
      continue;
    }
    LeadWindows<Context> windows_at(context, recording.leads[number], beats.sample_rate_hz);
    const auto reference = reference_of(windows_at, beats.r_peaks, ratio, shapes.dominant);
    shapes.leads.push_back(measures_of(context, windows_at, reference, beats.r_peaks, dominant, rr));
    const auto qrs = std::span(reference.dominant).subspan(kRValue - 13, kQrsValues);
    shapes.amplitude_mv.push_back(std::ranges::max(qrs) - std::ranges::min(qrs));
  }
  return shapes;
}

#define BEATSCAN_LEAD_SHAPES(Context)                                                                              \
  template LeadShapes lead_shapes(Context&, const Recording<Context>&, const TableBeats&, std::span<const double>, \
                                  std::span<const double>);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_LEAD_SHAPES)

namespace {

using namespace features;
using Measures = const float*;        // of a beat in a lead, [kShapeMeasures]
using Medians = std::vector<double>;  // of a lead over its dominant beats, [kShapeMeasures]
using Value = double (*)(Measures, const Medians&);

double unlike(double correlation) { return std::log(1.02 - correlation); }
double log_of(double value) { return std::log(value + 0.01); }

// A column that is the mean over leads, weighted by their noise.
struct ShapeColumn {
  const char *name, *unit, *text;
  bool has_largest;  // whether there is a column of the largest value over leads, NAME_max
  Value value;
};

const std::vector<ShapeColumn>& shape_columns() {
  static const std::vector<ShapeColumn> all{
      {"qrs_dissimilarity", "", "log(1.02 - correlation of the QRS complex with the dominant beat)", true,
       [](Measures x, const Medians&) -> double { return unlike(x[kQrsCorrelation]); }},
      {"qrs_dissimilarity_local", "", "the same with the local beat", true,
       [](Measures x, const Medians&) -> double { return unlike(x[kQrsLocalCorrelation]); }},
      {"qrs_dissimilarity_prev", "", "the same with the beat before; 0.02 is added to 1 - correlation", true,
       [](Measures x, const Medians&) -> double { return unlike(x[kQrsPrevCorrelation]); }},
      {"qrs_dissimilarity_next", "", "the same with the beat after", true,
       [](Measures x, const Medians&) -> double { return unlike(x[kQrsNextCorrelation]); }},
      {"qrs_distance", "", "log of the root mean square difference from the dominant beat over its height", true,
       [](Measures x, const Medians&) -> double { return log_of(x[kQrsDistance]); }},
      {"qrs_distance_local", "", "the same from the local beat", true,
       [](Measures x, const Medians&) -> double { return log_of(x[kQrsLocalDistance]); }},
      {"qrs_height", "", "log of the height over that of the dominant beat", false,
       [](Measures x, const Medians&) -> double { return std::log(x[kQrsHeight] + 0.02); }},
      {"qrs_width_ratio", "", "log of the width over the median of dominant beats", true,
       [](Measures x, const Medians& of) -> double { return std::log(x[kQrsWidth] / std::max(of[kQrsWidth], 0.03)); }},
      {"qrs_width_s", "s", "time of the middle 90 % of the QRS complex's slope energy", true,
       [](Measures x, const Medians&) -> double { return x[kQrsWidth]; }},
      {"qrs_area_ratio", "", "log of area over height, over the median of dominant beats", true,
       [](Measures x, const Medians& of) -> double {
         return std::log((x[kQrsArea] + 0.005) / (of[kQrsArea] + 0.005));
       }},
      {"qrs_polarity", "",
       "share of the area above the isoelectric line, absolute difference from the median of dominant beats", true,
       [](Measures x, const Medians& of) -> double { return std::abs(x[kQrsPositive] - of[kQrsPositive]); }},
      {"qrs_high_frequency_ratio", "", "log of the power share above 18 Hz over the median of dominant beats", false,
       [](Measures x, const Medians& of) -> double {
         return std::log((x[kQrsHighShare] + 0.01) / (of[kQrsHighShare] + 0.01));
       }},
      {"t_correlation", "", "correlation of the T wave with the local beat", false,
       [](Measures x, const Medians&) -> double { return x[kTCorrelation]; }},
      {"t_distance", "", "log of the T wave's difference from the local beat", true,
       [](Measures x, const Medians&) -> double { return log_of(x[kTDistance]); }},
      {"similar_share", "", "log of the share of the recording's beats with a similar QRS complex", false,
       [](Measures x, const Medians&) -> double { return std::log(x[kAlikeShare] + 0.002); }},
      {"similar_rr_ratio", "", "log of the mean RR ratio of these beats", false,
       [](Measures x, const Medians&) -> double { return std::log(x[kAlikeRatio]); }},
      {"similar_premature_share", "", "share of these beats that are premature", false,
       [](Measures x, const Medians&) -> double { return x[kAlikeEarlyShare]; }},
      {"noise_level", "", "log of the median second difference over the QRS height", false,
       [](Measures x, const Medians&) -> double { return std::log(x[kNoiseLevel] + 0.003); }},
      {"noise_ratio", "", "the same over its median over dominant beats", false,
       [](Measures x, const Medians& of) -> double {
         return std::log((x[kNoiseLevel] + 0.003) / (of[kNoiseLevel] + 0.003));
       }},
      {"p_correlation", "", "correlation of the P window with the local beat", false,
       [](Measures x, const Medians&) -> double { return x[kPCorrelation]; }},
      {"p_projection", "", "projection of the P window on the local beat's P wave", false,
       [](Measures x, const Medians&) -> double { return x[kPProjection]; }},
      {"p_height_local", "", "log of the range of the local beat's P window over the QRS height", false,
       [](Measures x, const Medians&) -> double { return log_of(x[kPLocalHeight]); }},
      {"p_distance", "", "log of the P window's difference from the local beat", false,
       [](Measures x, const Medians&) -> double { return std::log(x[kPDistance] + 0.005); }},
      {"p_coherence", "", "energy of the mean of P windows of 4 beats on either side over their mean energy", false,
       [](Measures x, const Medians&) -> double { return x[kPCoherence]; }},
      {"p_peak_height", "", "height of the largest peak of 100 ms in the P window over the QRS height", false,
       [](Measures x, const Medians&) -> double { return std::clamp<double>(x[kLobe], -0.1, 0.6); }},
      {"p_peak_height_change", "", "its difference from the local beat's", false,
       [](Measures x, const Medians&) -> double { return std::clamp<double>(x[kLobe] - x[kLocalLobe], -0.4, 0.4); }},
      {"p_peak_s", "s", "time from the largest peak to the R peak", false,
       [](Measures x, const Medians&) -> double { return x[kLobePlace]; }},
      {"p_peak_shift_s", "s", "its difference from the local beat's", false,
       [](Measures x, const Medians&) -> double { return x[kLobePlace] - x[kLocalLobePlace]; }},
      {"p_trough_height", "", "the smallest peak of 100 ms in the P window over the QRS height, negative for a trough",
       false, [](Measures x, const Medians&) -> double { return std::clamp<double>(x[kLeastLobe], -0.6, 0.1); }},
      {"t_deviation", "", "log of the difference from the preceding T wave, where a premature P wave would lie", true,
       [](Measures x, const Medians&) -> double { return log_of(x[kTDeparture]); }},
  };
  return all;
}

// Returns the medians of a lead's measures over dominant beats; over all where these are fewer than 5.
Medians medians_of(const std::vector<float>& measures, const std::vector<std::uint8_t>& dominant) {
  const auto places = [&] {
    auto found = sample_places(dominant);
    if (found.size() < 5) found = sample_places(std::vector<std::uint8_t>(dominant.size(), 1));
    return found;
  }();
  Medians medians(kShapeMeasures);
  parallel_each(Cpu(), kShapeMeasures, [&](std::int64_t m) {
    std::vector<double> values;
    for (const std::int64_t i : places)
      if (const float value = measures[i * kShapeMeasures + m]; std::isfinite(value)) values.push_back(value);
    medians[m] = values.empty() ? 0 : quantile(values, 0.5);
  });
  return medians;
}

// Writes the weight of each lead at a beat, [L]: the less noise, the more, and 1 over all leads.
void write_weights(const LeadShapes& shapes, std::int64_t beat, std::span<double> weights) {
  double sum = 0;
  for (std::size_t l = 0; l < weights.size(); ++l) {
    const double noise = shapes.leads[l][beat * kShapeMeasures + kNoiseLevel] + 0.005;
    sum += weights[l] = 1 / (noise * std::sqrt(noise));
  }
  for (double& weight : weights) weight /= sum;
}

// Returns the columns without values.
std::vector<FeatureColumn> described_columns() {
  std::vector<FeatureColumn> described;
  for (const ShapeColumn& column : shape_columns()) {
    described.push_back({column.name, column.unit, column.text, {}});
    if (column.has_largest)
      described.push_back({std::string(column.name) + "_max", column.unit, "its largest value over leads", {}});
  }
  return described;
}

}  // namespace

void add_shape_columns(const LeadShapes& shapes, FeatureColumns& columns) {
  const std::size_t leads = shapes.leads.size();
  std::vector<Medians> medians;
  for (const auto& lead : shapes.leads) medians.push_back(medians_of(lead, shapes.dominant));
  columns.add_together(described_columns(), [&](std::int64_t beat, std::span<float> values) {
    thread_local std::vector<double> weights;
    weights.resize(leads);
    write_weights(shapes, beat, weights);
    std::size_t at = 0;
    for (const ShapeColumn& column : shape_columns()) {
      double sum = 0, largest = -std::numeric_limits<double>::infinity();
      for (std::size_t l = 0; l < leads; ++l) {
        const double value = column.value(shapes.leads[l].data() + beat * kShapeMeasures, medians[l]);
        sum += weights[l] * value;
        largest = l == 0 ? value : std::max(largest, value);
      }
      values[at++] = static_cast<float>(sum);
      if (column.has_largest) values[at++] = static_cast<float>(largest);
    }
  });
}

}  // namespace beatscan
