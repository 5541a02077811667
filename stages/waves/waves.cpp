#include "stages/waves/waves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "kernels/shapes/shape_sums.h"
#include "kernels/waves/amplitudes.h"
#include "kernels/waves/baseline.h"
#include "kernels/waves/beat_waves.h"
#include "kernels/waves/cut_windows.h"
#include "kernels/waves/flat_windows.h"
#include "kernels/waves/local_averages.h"
#include "kernels/waves/non_conducted.h"
#include "kernels/waves/p_shapes.h"
#include "kernels/waves/tq_activity.h"
#include "stages/common/robust.h"
#include "stages/recording/recording.h"
#include "stages/waves/wave_intervals.h"
#include "stages/waves/wave_options.h"

namespace beatscan {
namespace {

using namespace waves;

// Windows of a range, over all leads: 84 MB of single beats and of averages.
constexpr std::int64_t kRangeWindows = 32768;

// Returns the millivolts of a lead's unit. A lead without a unit is taken to be in mV if its range is that of an ECG,
// and else to span 5 mV.
double mv_per_unit(const std::string& unit, const ValueRange& range) {
  for (const auto& [known, millivolts] :
       {std::pair{"mV", 1.0}, {"mv", 1.0}, {"uV", 1e-3}, {"µV", 1e-3}, {"μV", 1e-3}, {"uv", 1e-3}, {"V", 1e3}})
    if (unit == known) return millivolts;
  const double span = static_cast<double>(range.max) - range.min;
  return span > 0 && (span < 0.05 || span > 50) ? 5 / span : 1;
}

// The beats begin .. end - 1. Fiducials and evidence are also of the beat before them, if there is one.
struct BeatRange {
  std::int64_t begin, end;
  std::int64_t beats() const { return end - begin; }
  std::int64_t first() const { return begin > 0 ? 1 : 0; }
  std::int64_t base() const { return begin - first(); }
  std::int64_t known() const { return end - base(); }
  // Returns the part of an array with `width` values a beat that concerns the known beats.
  template <class T>
  std::span<const T> of(std::span<const T> all) const {
    return all.subspan(base(), known());
  }
};

// Consecutive ranges share a beat, because a P wave between two beats needs the masks of both.
std::vector<BeatRange> ranges_of(std::int64_t beats, std::int64_t most) {
  std::vector<BeatRange> ranges;
  for (std::int64_t begin = 0; ranges.empty() || ranges.back().end < beats; begin = ranges.back().end - 1)
    ranges.push_back({begin, std::min(begin + most, beats)});
  return ranges;
}

template <class Context>
class Delineation {
 public:
  Delineation(Context& context, const Recording<Context>& recording, std::span<const std::int64_t> leads,
              const DelineatedBeats& beats, const NetModel& model, const WaveOptions& options, double rate_hz)
      : context_(context),
        rate_hz_(rate_hz),
        st_values_(std::min(options.st_after_j_s * kValuesHz, 100.0)),
        beats_(std::ssize(beats.r_peaks)),
        net_(load_net(context, model)),
        table_(sampling_table(context, rate_hz)),
        r_(from_host(context, std::vector(beats.r_peaks.begin(), beats.r_peaks.end()))),
        labels_(from_host(context, std::vector(beats.templates.begin(), beats.templates.end()))),
        before_(context, beats_),
        after_(context, beats_),
        marks_(context, beats_),
        shapes_(context, beats_ * std::ssize(leads) * kShapeValues),
        groups_(context, beats_),
        sums_(std::ssize(leads) * kShapeValues) {
    rr_intervals(context, r_, rate_hz, before_, after_);
    beat_marks(context, before_, after_, marks_);
    for (const std::int64_t lead : leads) add_lead(recording, lead);
    const std::int64_t count = beats_ * std::ssize(leads);
    waves_.fiducials.resize(beats_ * kFiducials);
    waves_.lead_fiducials.resize(count * kFiducials);
    waves_.lead_amplitudes.resize(count * kAmplitudes);
    waves_.p_evidence.resize(beats_);
    waves_.lead_tq_mv.resize(count);
  }

  BeatWaves take(std::int64_t range_beats) {
    if (range_beats == 0) range_beats = std::max<std::int64_t>(kRangeWindows / std::ssize(leads_), 256);
    for (const BeatRange& range : ranges_of(beats_, range_beats)) add(range);
    Buffer<float, Context> similarity(context_, beats_);
    p_similarity(context_, shapes_, groups_, from_host(context_, sums_), similarity);
    waves_.p_similarity = to_host(context_, similarity);
    return std::move(waves_);
  }

 private:
  using Floats = Buffer<float, Context>;
  struct Lead {
    LeadSignal signal;
    Buffer<double, Context> levels;  // of the baseline
  };
  // Windows of one lead in a range.
  struct LeadWindows {
    Floats cut;                     // with neighbours of the range
    std::span<const float> single;  // [B][320] those of the range
    Floats averages, heights;       // [B][320], [B]
  };
  // Windows between the beats of a range.
  struct Extra {
    Buffer<std::int64_t, Context> list;  // [E]
    Buffer<double, Context> places;
    Buffer<Marks, Context> marks;
    Floats masks;  // [E][3][320] mean over leads
  };

  void add_lead(const Recording<Context>& recording, std::int64_t number) {
    const auto& lead = recording.leads[number];
    Lead added{{.samples = lead.samples,
                .gap_firsts = lead.gap_firsts,
                .gap_lasts = lead.gap_lasts,
                .rate_hz = rate_hz_,
                .mv_per_unit = mv_per_unit(lead.unit, lead.range)},
               {context_, baseline_blocks(lead.samples.size(), rate_hz_)}};
    baseline(context_, added.signal, added.levels);
    leads_.push_back(std::move(added));
    waves_.leads.push_back(number);
  }

  void add(const BeatRange& range) {
    const auto before = range.of(std::as_const(before_).span()), after = range.of(std::as_const(after_).span());
    const std::int64_t leads = std::ssize(leads_), known = range.known();
    Floats fiducials = known_fiducials(range), evidence(context_, leads * known);
    zero_bytes(context_, evidence.data(), evidence.span().size_bytes());
    Floats masks(context_, range.beats() * kMasks * kValues), mean(context_, masks.size());
    Extra extra = extra_of(range);
    std::vector<LeadWindows> windows;
    for (std::int64_t l = 0; l < leads; ++l) {
      const auto of_lead = fiducials.span().subspan(l * known * kFiducials, known * kFiducials);
      windows.push_back(windows_of(range, leads_[l]));
      const auto marks = std::as_const(marks_).span().subspan(range.begin, range.beats());
      wave_masks(context_, net_, windows[l].averages, windows[l].heights, marks, masks);
      clear_flat_windows(context_, windows[l].heights, masks);
      beat_waves(context_, masks, before, after, range.first(), of_lead);
      wave_masks(context_, net_, windows[l].single, windows[l].heights, marks, masks);
      clear_flat_windows(context_, windows[l].heights, masks);
      p_evidence(context_, masks, before, of_lead, range.first(), evidence.span().subspan(l * known, known));
      add_masks(context_, masks, 1 / static_cast<float>(leads), l == 0, mean);
      add_extra_masks(range, leads_[l], windows[l].heights, l == 0, extra);
    }
    Floats fused(context_, known * kFiducials), fused_evidence(context_, known);
    fuse_fiducials(context_, fiducials, fused);
    fuse_evidence(context_, evidence, fused_evidence);
    keep(range, fused, kFiducials, waves_.fiducials.data());
    keep(range, fused_evidence, 1, waves_.p_evidence.data());
    for (std::int64_t l = 0; l < leads; ++l) {
      keep(range, fiducials.span().subspan(l * known * kFiducials, known * kFiducials), kFiducials,
           waves_.lead_fiducials.data() + l * beats_ * kFiducials);
      measure(range, l, windows[l], fused);
    }
    add_shapes(range);
    add_non_conducted(range, after, mean, extra);
  }

  // Returns room for fiducials of the range in all leads, with those of the beat before it.
  Floats known_fiducials(const BeatRange& range) {
    Floats fiducials(context_, std::ssize(leads_) * range.known() * kFiducials);
    if (range.first() == 0) return fiducials;
    for (std::int64_t l = 0; l < std::ssize(leads_); ++l)
      copy_bytes(context_, waves_.lead_fiducials.data() + (l * beats_ + range.base()) * kFiducials,
                 fiducials.data() + l * range.known() * kFiducials, kFiducials * sizeof(float));
    return fiducials;
  }

  LeadWindows windows_of(const BeatRange& range, const Lead& lead) {
    const std::int64_t low = std::max<std::int64_t>(range.begin - kAverageReach, 0);
    const std::int64_t count = std::min(range.end + kAverageReach, beats_) - low, skip = range.begin - low;
    LeadWindows windows{.cut = {context_, count * kValues},
                        .single = {},
                        .averages = {context_, range.beats() * kValues},
                        .heights = {context_, range.beats()}};
    cut_windows(context_, lead.signal, lead.levels, table_, std::as_const(r_).span().subspan(low, count), windows.cut);
    local_averages(context_, windows.cut, std::as_const(labels_).span().subspan(low, count), skip, windows.averages,
                   windows.heights);
    windows.single = std::as_const(windows.cut).span().subspan(skip * kValues, range.beats() * kValues);
    return windows;
  }

  Extra extra_of(const BeatRange& range) {
    const auto before = range.of(std::as_const(before_).span()), after = range.of(std::as_const(after_).span());
    Extra extra{.list = extra_windows(context_, after, range.first(), range.beats() - 1),
                .places = {},
                .marks = {},
                .masks = {}};
    const std::int64_t count = extra.list.size();
    extra.places = {context_, count};
    extra.marks = {context_, count};
    extra.masks = {context_, count * kMasks * kValues};
    place_extra_windows(context_, extra.list, range.of(std::as_const(r_).span()), rate_hz_, before, after, extra.places,
                        extra.marks);
    return extra;
  }

  void add_extra_masks(const BeatRange& range, const Lead& lead, const Floats& heights, bool first_lead, Extra& extra) {
    const std::int64_t count = extra.list.size();
    if (count == 0) return;
    Floats windows(context_, count * kValues), of_extra(context_, count), masks(context_, extra.masks.size());
    cut_windows(context_, lead.signal, lead.levels, table_, extra.places, windows);
    extra_heights(context_, extra.list, heights, range.first(), of_extra);
    wave_masks(context_, net_, windows, of_extra, extra.marks, masks);
    clear_flat_windows(context_, of_extra, masks);
    add_masks(context_, masks, 1 / static_cast<float>(leads_.size()), first_lead, extra.masks);
  }

  // Copies what is known of the beats of a range, `width` values each, to their place on the host.
  void keep(const BeatRange& range, std::span<const float> values, std::int64_t width, float* all) {
    const auto of_range = values.subspan(range.first() * width);
    copy_bytes(context_, of_range.data(), all + range.begin * width, of_range.size_bytes());
  }

  // Measures amplitudes, the activity between T wave and next beat, and shapes of P waves in one lead.
  void measure(const BeatRange& range, std::int64_t l, const LeadWindows& windows, const Floats& fused) {
    Floats amplitudes(context_, range.beats() * kAmplitudes), activity(context_, range.known());
    Buffer<std::int32_t, Context> counts(context_, range.known());
    wave_amplitudes(context_, windows.averages, range.of(std::as_const(after_).span()), fused, range.first(),
                    st_values_, amplitudes);
    copy_bytes(context_, amplitudes.data(), waves_.lead_amplitudes.data() + (l * beats_ + range.begin) * kAmplitudes,
               amplitudes.span().size_bytes());
    tq_activity(context_, windows.single, range.of(std::as_const(before_).span()), fused, range.first(), activity,
                counts);
    keep(range, activity, 1, waves_.lead_tq_mv.data() + l * beats_);
    p_shapes(context_, windows.single, fused, range.first(), l, shapes_of(range));
  }

  std::span<float> shapes_of(const BeatRange& range) {
    const std::int64_t width = std::ssize(leads_) * kShapeValues;
    return shapes_.span().subspan(range.begin * width, range.beats() * width);
  }

  // Makes unit shapes of a range's P waves, and adds those up that no earlier range had.
  void add_shapes(const BeatRange& range) {
    const std::int64_t width = std::ssize(leads_) * kShapeValues;
    const auto groups = groups_.span().subspan(range.begin, range.beats());
    unit_shapes(context_, shapes_of(range), groups);
    Buffer<std::int64_t, Context> sums(context_, width), counts(context_, 1);
    group_sums<float>(context_, shapes_of(range).subspan(range.first() * width), groups.subspan(range.first()), sums,
                      counts);
    const auto on_host = to_host(context_, sums);
    for (std::int64_t d = 0; d < width; ++d) sums_[d] += on_host[d];
  }

  void add_non_conducted(const BeatRange& range, std::span<const double> after, const Floats& mean,
                         const Extra& extra) {
    const auto found =
        to_host(context_, non_conducted_waves(context_, after, range.first(), mean, extra.list, extra.masks));
    const double samples_a_value = rate_hz_ / kValuesHz;
    for (const NonConductedWave& wave : found) {
      const std::int64_t beat = range.base() + wave.beat;
      const double r = r_peaks_[beat];
      waves_.non_conducted.push_back({beat, r + wave.onset * samples_a_value, r + wave.offset * samples_a_value});
    }
  }

  Context& context_;
  double rate_hz_, st_values_;
  std::int64_t beats_;
  Net<Context> net_;
  SamplingTable<Context> table_;
  Buffer<double, Context> r_;
  Buffer<std::int32_t, Context> labels_;
  Buffer<double, Context> before_, after_;
  Buffer<Marks, Context> marks_;
  Floats shapes_;  // [K][L][32]
  Buffer<std::uint8_t, Context> groups_;
  std::vector<std::int64_t> sums_;  // [L][32] of unit shapes
  std::vector<Lead> leads_;
  std::vector<double> r_peaks_ = to_host(context_, r_);
  BeatWaves waves_;
};

// Returns the median over leads of the place where a beat's T wave is farthest from the isoelectric line.
float t_peak_of(const BeatWaves& found, std::int64_t beat) {
  std::vector<float> places;
  for (std::size_t l = 0; l < found.leads.size(); ++l) {
    const float place = found.lead_amplitudes[(l * found.beats() + beat) * kAmplitudes + kTPlace];
    if (!std::isnan(place)) places.push_back(place);
  }
  return places.empty() ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(quantile(places, 0.5));
}

// Computes T peak, QTc and ST level of each beat from what is known of leads.
void add_derived(const DelineatedBeats& beats, const WaveOptions& options, double rate_hz, BeatWaves& found) {
  const auto rr_s = local_rr_s(beats.r_peaks, beats.broken, rate_hz);
  found.qtc_ms.resize(found.beats());
  found.st_mv.assign(found.beats(), std::numeric_limits<float>::quiet_NaN());
  for (std::int64_t i = 0; i < found.beats(); ++i) {
    found.fiducials[i * kFiducials + kTPeak] = t_peak_of(found, i);
    const double qt = wave_intervals(found.fiducials_of(i)).qt;
    found.qtc_ms[i] = static_cast<float>(corrected_qt(qt, rr_s[i], options.qtc));
    for (std::size_t l = 0; l < found.leads.size(); ++l) {
      const float st = found.lead_amplitudes[(l * found.beats() + i) * kAmplitudes + kStLevel];
      if (!std::isnan(st) && !(std::abs(st) <= std::abs(found.st_mv[i]))) found.st_mv[i] = st;
    }
  }
}

}  // namespace

std::span<const float> BeatWaves::fiducials_of(std::int64_t beat) const {
  return std::span(fiducials).subspan(beat * kFiducials, kFiducials);
}

template <class Context>
BeatWaves delineate(Context& context, const Recording<Context>& recording, std::span<const std::int64_t> leads,
                    const DelineatedBeats& beats, const waves::NetModel& model, const WaveOptions& options,
                    double sample_rate_hz, std::int64_t range_beats) {
  if (beats.r_peaks.empty() || leads.empty() || sample_rate_hz < kLeastRateHz || sample_rate_hz > kMostRateHz)
    return {};
  auto found = Delineation<Context>(context, recording, leads, beats, model, options, sample_rate_hz).take(range_beats);
  add_derived(beats, options, sample_rate_hz, found);
  return found;
}

#define BEATSCAN_DELINEATE(Context)                                                                        \
  template BeatWaves delineate(Context&, const Recording<Context>&, std::span<const std::int64_t>,         \
                               const DelineatedBeats&, const waves::NetModel&, const WaveOptions&, double, \
                               std::int64_t);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_DELINEATE)

}  // namespace beatscan
