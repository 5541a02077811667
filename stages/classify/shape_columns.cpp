#include "kernels/features/shape_columns.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/features/beat_measures.h"
#include "kernels/features/beat_shapes.h"
#include "kernels/features/beat_sums.h"
#include "kernels/features/columns.h"
#include "kernels/features/medians.h"
#include "kernels/features/wave_columns.h"
#include "kernels/lists/bits.h"
#include "kernels/lists/gather.h"
#include "kernels/waves/amplitudes.h"
#include "kernels/waves/cut_windows.h"
#include "stages/classify/accepted_intervals.h"
#include "stages/classify/beat_table.h"
#include "stages/classify/columns.h"
#include "stages/io/recording/recording.h"

namespace beatscan {

ColumnTexts shape_texts() {
  const ColumnTexts of_values{
      {"qrs_dissimilarity", "", "log(1.02 - correlation of the QRS complex with the dominant beat)"},
      {"qrs_dissimilarity_local", "", "the same with the local beat"},
      {"qrs_dissimilarity_prev", "", "the same with the beat before; 0.02 is added to 1 - correlation"},
      {"qrs_dissimilarity_next", "", "the same with the beat after"},
      {"qrs_distance", "", "log of the root mean square difference from the dominant beat over its height"},
      {"qrs_distance_local", "", "the same from the local beat"},
      {"qrs_height", "", "log of the height over that of the dominant beat"},
      {"qrs_width_ratio", "", "log of the width over the median of dominant beats"},
      {"qrs_width_s", "s", "time of the middle 90 % of the QRS complex's slope energy"},
      {"qrs_area_ratio", "", "log of area over height, over the median of dominant beats"},
      {"qrs_polarity", "",
       "share of the area above the isoelectric line, absolute difference from the median of dominant beats"},
      {"qrs_high_frequency_ratio", "", "log of the power share above 18 Hz over the median of dominant beats"},
      {"t_correlation", "", "correlation of the T wave with the local beat"},
      {"t_distance", "", "log of the T wave's difference from the local beat"},
      {"similar_share", "", "log of the share of the recording's beats with a similar QRS complex"},
      {"similar_rr_ratio", "", "log of the mean RR ratio of these beats"},
      {"similar_premature_share", "", "share of these beats that are premature"},
      {"noise_level", "", "log of the median second difference over the QRS height"},
      {"noise_ratio", "", "the same over its median over dominant beats"},
      {"p_correlation", "", "correlation of the P window with the local beat"},
      {"p_projection", "", "projection of the P window on the local beat's P wave"},
      {"p_height_local", "", "log of the range of the local beat's P window over the QRS height"},
      {"p_distance", "", "log of the P window's difference from the local beat"},
      {"p_coherence", "", "energy of the mean of P windows of 4 beats on either side over their mean energy"},
      {"p_peak_height", "", "height of the largest peak of 100 ms in the P window over the QRS height"},
      {"p_peak_height_change", "", "its difference from the local beat's"},
      {"p_peak_s", "s", "time from the largest peak to the R peak"},
      {"p_peak_shift_s", "s", "its difference from the local beat's"},
      {"p_trough_height", "", "the smallest peak of 100 ms in the P window over the QRS height, negative for a trough"},
      {"t_deviation", "", "log of the difference from the preceding T wave, where a premature P wave would lie"},
  };
  ColumnTexts texts;
  for (int k = 0; k < features::kShapeValues; ++k) {
    texts.push_back(of_values[k]);
    if (features::has_largest(k))
      texts.push_back({of_values[k].name + "_max", of_values[k].unit, "its largest value over leads"});
  }
  return texts;
}

ColumnTexts template_texts() {
  ColumnTexts texts{
      {"template", "", "number of the beat's morphology template, from 0; not an input of the classifier"},
      {"template_share", "", "log of the share of beats with the beat's template"},
      {"template_premature_share", "",
       "share of the template's beats with an RR interval below 0.88 of the local median"},
      {"template_late_share", "", "the same above 1.15 of it"},
      {"template_rr_ratio", "", "mean of the log RR ratio of the template's beats"},
  };
  const auto shapes = shape_texts();
  const char* const names[] = {"template_distance", "template_width_ratio", "template_area_ratio", "template_height"};
  for (int k = 0; k < 4; ++k)
    texts.push_back(
        {names[k], "",
         "mean of " + shapes[features::MeanShapes().columns[k]].name + " over the template's beats, each within 5"});
  texts.push_back({"template_deviation", "", "log of the beat's distance from the centre of its template"});
  return texts;
}

template <class Context>
BeatRows<Context>::BeatRows(Context& context, const TableBeats<Context>& beats)
    : kept(context, std::ssize(beats.kept)),
      row(context, std::ssize(beats.r_peaks)),
      group(context, std::ssize(beats.r_peaks)) {
  copy(context, beats.kept, kept.span());
  features::rows_of_beats(context, kept, beats.template_of, row, group);
}

namespace {

using namespace features;

// The number of windows that are held at a time: a multiple of kBlock.
template <class Context>
constexpr std::int64_t kRangeBeats = std::is_same_v<Context, Cpu> ? 4096 : 32768;
constexpr std::int64_t kDominantBeats = 512;   // beats whose median is the dominant beat
constexpr std::int64_t kSampleBeats = 200;     // beats that each beat is compared with
constexpr std::int64_t kMeasuredBeats = 8192;  // beats over which medians of measures are taken
static_assert(kMeasuredBeats <= kMostRows);

// Returns at most `most` of the beats 0 .. K - 1, evenly spread.
template <class Context>
Buffer<std::int64_t, Context> some_beats(Context& context, std::int64_t beats, std::int64_t most) {
  std::vector<std::int64_t> places(std::min(beats, most));
  for (std::int64_t i = 0; i < std::ssize(places); ++i) places[i] = i * beats / std::ssize(places);
  return from_host(context, places);
}

// Beats of the dominant shape that are not premature.
template <class Context>
struct DominantBeats {
  Buffer<std::uint8_t, Context> flags;   // [K]
  Buffer<std::int64_t, Context> places;  // ascending
};

// Returns the template with most beats. The more of its beats are premature, the less it counts.
template <class Context>
int dominant_template(Context& context, const BeatRows<Context>& rows, std::span<const double> ratio) {
  Buffer<double, Context> sums(context, 2 * (kGroups + 1));
  template_counts(context, rows.group, ratio, sums);
  const auto counts = to_host(context, sums);
  const auto worth = [&](int k) {
    const double all = counts[2 * k], early = counts[2 * k + 1];
    return all - std::min(2.5 * early, 0.97 * all);
  };
  int largest = 0;
  for (int k = 1; k < kGroups; ++k)
    if (worth(k) > worth(largest)) largest = k;
  return largest;
}

template <class Context>
DominantBeats<Context> dominant_beats(Context& context, const BeatRows<Context>& rows, std::span<const double> ratio) {
  constexpr std::int64_t kFewest = 5;
  const int largest = dominant_template(context, rows, ratio);
  Buffer<std::uint8_t, Context> flags(context, std::ssize(ratio));
  for (const bool on_time : {true, false}) {
    mark_template(context, rows.group, ratio, largest, on_time, flags);
    if (auto places = positions_of(context, flags, 1); places.size() >= kFewest)
      return {std::move(flags), std::move(places)};
  }
  copy<std::uint8_t>(context, std::vector<std::uint8_t>(ratio.size(), 1), flags);
  return {std::move(flags), some_beats(context, std::ssize(ratio), std::ssize(ratio))};
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
  Buffer<float, Context> operator()(std::span<const double> r_peaks) {
    Buffer<float, Context> windows(context_, std::ssize(r_peaks) * waves::kValues);
    waves::cut_windows(context_, signal_, levels_, table_, r_peaks, windows);
    Buffer<float, Context> halves(context_, std::ssize(r_peaks) * kValues);
    halve_windows(context_, windows, halves);
    return halves;
  }

 private:
  Context& context_;
  waves::LeadSignal signal_;
  Buffer<double, Context> levels_;
  waves::SamplingTable<Context> table_;
};

// The beats of a lead's reference, which are the same in all leads.
template <class Context>
struct ReferenceBeats {
  Buffer<double, Context> dominant, sample;  // R peaks
  std::vector<double> sample_ratio;
};

template <class Context>
ReferenceBeats<Context> reference_beats(Context& context, std::span<const double> r_peaks,
                                        std::span<const double> ratio, const DominantBeats<Context>& dominant) {
  const auto places = some_of(context, dominant.places, kDominantBeats);
  const auto sample = some_beats(context, std::ssize(r_peaks), kSampleBeats);
  const auto at = [&](std::span<const double> values, const Buffer<std::int64_t, Context>& of) {
    Buffer<double, Context> chosen(context, of.size());
    gather<double>(context, values, of, chosen);
    return chosen;
  };
  return {at(r_peaks, places), at(r_peaks, sample), to_host(context, at(ratio, sample))};
}

// The reference's dominant beat is the median of dominant beats, without those that differ from it where enough are
// left.
template <class Context>
LeadReference reference_of(Context& context, LeadWindows<Context>& windows_at, const ReferenceBeats<Context>& beats) {
  const auto windows = windows_at(beats.dominant);
  Buffer<float, Context> all(context, kValues), alike(context, kValues), correlations(context, beats.dominant.size());
  Buffer<std::uint8_t, Context> similar(context, beats.dominant.size());
  median_window(context, windows, {}, all);
  qrs_correlations(context, windows, all, correlations);
  flag_above(context, correlations, kDominantCorrelation, similar);
  median_window(context, windows, similar, alike);
  auto [of_all, of_alike, flags, sample] = to_hosts(context, all, alike, similar, windows_at(beats.sample));
  LeadReference reference{.dominant = 4 * std::ranges::count(flags, 1) > std::ssize(flags) ? of_alike : of_all,
                          .sample = std::vector<float>(beats.sample_ratio.size() * kQrsValues),
                          .sample_ratio = {beats.sample_ratio.begin(), beats.sample_ratio.end()},
                          .is_early = {}};
  for (std::size_t s = 0; s < beats.sample_ratio.size(); ++s) {
    unit_qrs(&sample[s * kValues], &reference.sample[s * kQrsValues]);
    reference.is_early.push_back(beats.sample_ratio[s] < kPrematureRatio);
  }
  return reference;
}

// Measures all beats in one lead.
//   measures  [K][kShapeMeasures]
template <class Context>
void measure(Context& context, LeadWindows<Context>& windows_at, const LeadReference& reference,
             std::span<const double> r_peaks, std::span<const std::uint8_t> dominant, std::span<const float> rr,
             std::span<float> measures) {
  const std::int64_t count = std::ssize(r_peaks);
  for (std::int64_t first = 0; first < count; first += kRangeBeats<Context>) {
    const std::int64_t last = std::min(first + kRangeBeats<Context>, count);
    const std::int64_t low = std::max<std::int64_t>(first - kNeighbours, 0), high = std::min(last + kNeighbours, count);
    const auto windows = windows_at(r_peaks.subspan(low, high - low));
    const ShapeRange range{.first = first,
                           .skip = first - low,
                           .beats = last - first,
                           .windows = windows,
                           .dominant = dominant.subspan(low, high - low),
                           .rr_s = rr.subspan(low, high - low)};
    beat_shapes(context, range, reference, measures.subspan(first * kShapeMeasures, (last - first) * kShapeMeasures));
  }
}

}  // namespace

template <class Context>
double add_shape_columns(Context& context, const Recording<Context>& recording, const TableBeats<Context>& beats,
                         std::span<const double> r_peaks, std::span<const double> ratio, const BeatRows<Context>& rows,
                         std::span<float> columns) {
  const std::int64_t count = std::ssize(r_peaks), leads = std::ssize(beats.leads);
  if (beats.sample_rate_hz < waves::kLeastRateHz || beats.sample_rate_hz > waves::kMostRateHz) {
    columns_without_value(context, columns);
    return 0;
  }
  const auto dominant = dominant_beats(context, rows, ratio);
  const auto reference_at = reference_beats(context, r_peaks, ratio, dominant);
  const auto measured = dominant.places.size() < 5 ? some_beats(context, count, kMeasuredBeats)
                                                   : some_of(context, dominant.places, kMeasuredBeats);
  Buffer<float, Context> rr(context, count), measures(context, leads * count * kShapeMeasures);
  Buffer<double, Context> medians(context, leads * kShapeMeasures);
  narrow(context, beats.intervals.rr_s, rr);
  double height_mv = 0;
  for (std::int64_t l = 0; l < leads; ++l) {
    LeadWindows<Context> windows_at(context, recording.leads[beats.leads[l]], beats.sample_rate_hz);
    const auto reference = reference_of(context, windows_at, reference_at);
    const auto of_lead = measures.span().subspan(l * count * kShapeMeasures, count * kShapeMeasures);
    measure(context, windows_at, reference, r_peaks, dominant.flags, rr, of_lead);
    measure_medians(context, of_lead, measured, medians.span().subspan(l * kShapeMeasures, kShapeMeasures));
    const auto qrs = std::span(reference.dominant).subspan(kRValue - 13, kQrsValues);
    height_mv = std::max<double>(height_mv, std::ranges::max(qrs) - std::ranges::min(qrs));
  }
  shape_columns(context, leads, measures, medians, columns);
  return height_mv;
}

#define BEATSCAN_SHAPE_COLUMNS(Context)                                                                         \
  template struct BeatRows<Context>;                                                                            \
  template double add_shape_columns(Context&, const Recording<Context>&, const TableBeats<Context>&,            \
                                    std::span<const double>, std::span<const double>, const BeatRows<Context>&, \
                                    std::span<float>);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_SHAPE_COLUMNS)

}  // namespace beatscan
