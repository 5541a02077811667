#include "stages/features/lead_shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/features/beat_measures.h"
#include "kernels/features/medians.h"
#include "kernels/waves/baseline.h"
#include "kernels/waves/cut_windows.h"
#include "stages/common/robust.h"
#include "stages/features/beat_intervals.h"
#include "stages/features/beat_table.h"
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

}  // namespace beatscan
