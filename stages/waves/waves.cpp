#include "stages/waves/waves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/shapes/shape_sums.h"
#include "kernels/waves/amplitudes.h"
#include "kernels/waves/baseline.h"
#include "kernels/waves/beat_waves.h"
#include "kernels/waves/fuse_waves.h"
#include "kernels/waves/p_shapes.h"
#include "kernels/waves/wave_confidence.h"
#include "stages/recording/lead_units.h"
#include "stages/recording/recording.h"
#include "stages/waves/wave_intervals.h"
#include "stages/waves/wave_options.h"
#include "stages/waves/wave_range.h"

namespace beatscan {
namespace {

using namespace waves;

constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();
constexpr double kMaxStValues = 100;

template <class Context>
WaveInputs<Context> inputs_of(Context& context, const Recording<Context>& recording,
                              std::span<const std::int64_t> leads, const DelineatedBeats& beats, const NetModel& model,
                              const WaveOptions& options, double rate_hz, BeatWaves& waves) {
  const std::int64_t count = std::ssize(beats.r_peaks);
  WaveInputs<Context> inputs{.rate_hz = rate_hz,
                             .st_values = std::clamp(options.st_after_j_s * kValuesHz, 0.0, kMaxStValues),
                             .net = load_net(context, model),
                             .table = sampling_table(context, rate_hz),
                             .r = from_host(context, std::vector(beats.r_peaks.begin(), beats.r_peaks.end())),
                             .before = {context, count},
                             .after = {context, count},
                             .labels = from_host(context, std::vector(beats.templates.begin(), beats.templates.end())),
                             .marks = {context, count}};
  rr_intervals(context, inputs.r, rate_hz, inputs.before, inputs.after);
  beat_marks(context, inputs.before, inputs.after, inputs.marks);
  for (const std::int64_t number : leads) {
    const auto& lead = recording.leads[number];
    waves.leads.push_back(number);
    inputs.leads.push_back({{.samples = lead.samples,
                             .gap_firsts = lead.gap_firsts,
                             .gap_lasts = lead.gap_lasts,
                             .rate_hz = rate_hz,
                             .mv_per_unit = mv_per_unit(lead.unit, lead.range)},
                            {context, baseline_blocks(lead.samples.size(), rate_hz)}});
    baseline(context, inputs.leads.back().signal, inputs.leads.back().levels);
  }
  return inputs;
}

// Returns an array of results that end in a vector of the host. On the CPU it is the vector itself.
Buffer<float, Cpu> results_in(std::vector<float>& host, Cpu&, std::int64_t size) {
  host.resize(size);
  return Buffer<float, Cpu>::borrowed(host);
}
void bring_results(Cpu&, const WaveArrays<Cpu>&, BeatWaves&) {}

#ifdef BEATSCAN_WITH_CUDA
Buffer<float, Cuda> results_in(std::vector<float>&, Cuda& cuda, std::int64_t size) { return {cuda, size}; }
void bring_results(Cuda& cuda, const WaveArrays<Cuda>& arrays, BeatWaves& waves) {
  std::tie(waves.fiducials, waves.lead_fiducials, waves.lead_amplitudes, waves.p_evidence, waves.lead_tq_mv,
           waves.st_mv, waves.p_similarity, waves.confidence) =
      to_hosts(cuda, arrays.fiducials, arrays.lead_fiducials, arrays.lead_amplitudes, arrays.p_evidence,
               arrays.lead_tq_mv, arrays.st_mv, arrays.p_similarity, arrays.confidence);
}
#endif

template <class Context>
WaveArrays<Context> arrays_of(Context& context, std::int64_t beats, std::int64_t leads, BeatWaves& waves) {
  return {.fiducials = results_in(waves.fiducials, context, beats * kFiducials),
          .lead_fiducials = results_in(waves.lead_fiducials, context, leads * beats * kFiducials),
          .lead_amplitudes = results_in(waves.lead_amplitudes, context, leads * beats * kAmplitudes),
          .p_evidence = results_in(waves.p_evidence, context, beats),
          .lead_tq_mv = results_in(waves.lead_tq_mv, context, leads * beats),
          .shapes = {context, beats * leads * kShapeValues},
          .lead_levels = {context, leads * beats * kMasks},
          .lead_heights = {context, leads * beats},
          .st_mv = results_in(waves.st_mv, context, beats),
          .p_similarity = results_in(waves.p_similarity, context, beats),
          .confidence = results_in(waves.confidence, context, beats * kMasks)};
}

// On the CPU a thread's windows and masks, 6 kB a beat, stay in its cache.
std::int64_t range_beats_of(const Cpu&, std::int64_t) { return 256; }

std::vector<BeatRange> ranges_of(std::int64_t beats, std::int64_t most) {
  std::vector<BeatRange> ranges;
  for (std::int64_t begin = 0; ranges.empty() || ranges.back().end < beats; begin = ranges.back().end - 1)
    ranges.push_back({begin, std::min(begin + most, beats)});
  return ranges;
}

using WavesOfRanges = std::vector<std::vector<NonConductedWave>>;

// Threads work on ranges of their own.
WavesOfRanges delineate_ranges(Cpu& cpu, const WaveInputs<Cpu>& inputs, std::span<const BeatRange> ranges,
                               WaveArrays<Cpu>& arrays) {
  WavesOfRanges found(ranges.size());
  parallel_for(cpu, std::ssize(ranges), 1, [&](std::int64_t first, std::int64_t last) {
    Cpu one(1);
    RangeDelineation<Cpu> delineation(one, inputs, arrays, ranges[first].beats());
    for (std::int64_t i = first; i < last; ++i) found[i] = delineation.run(ranges[i]);
  });
  return found;
}

#ifdef BEATSCAN_WITH_CUDA
// On a GPU a range is as large as takes 1 GiB, or a quarter of what is free.
std::int64_t range_beats_of(const Cuda& cuda, std::int64_t leads) {
  constexpr std::int64_t kBytes = std::int64_t{1} << 30, kMinBeats = 256;
  const std::int64_t bytes = std::min(kBytes, cuda.room_bytes() / 4);
  return std::max(bytes / RangeDelineation<Cuda>::bytes_a_beat(leads), kMinBeats);
}

WavesOfRanges delineate_ranges(Cuda& cuda, const WaveInputs<Cuda>& inputs, std::span<const BeatRange> ranges,
                               WaveArrays<Cuda>& arrays) {
  WavesOfRanges found;
  RangeDelineation<Cuda> delineation(cuda, inputs, arrays, ranges.front().beats());
  for (const BeatRange& range : ranges) found.push_back(delineation.run(range));
  return found;
}
#endif

// Compares each beat's P wave with the dominant one.
template <class Context>
void compare_shapes(Context& context, std::int64_t beats, WaveArrays<Context>& arrays) {
  Buffer<std::uint8_t, Context> groups(context, beats);
  Buffer<std::int64_t, Context> sums(context, arrays.shapes.size() / beats), counts(context, 1);
  unit_shapes(context, arrays.shapes, groups);
  group_sums<float>(context, std::as_const(arrays.shapes).span(), std::as_const(groups).span(), sums, counts);
  p_similarity(context, arrays.shapes, groups, sums, arrays.p_similarity);
}

// Computes the waves' confidence, and leaves out uncertain P waves.
template <class Context>
void add_confidence(Context& context, const WaveInputs<Context>& inputs, const ConfidenceModel& model,
                    WaveArrays<Context>& arrays) {
  wave_confidence(context,
                  {.before = inputs.before,
                   .after = inputs.after,
                   .fiducials = arrays.fiducials,
                   .lead_levels = arrays.lead_levels,
                   .lead_heights = arrays.lead_heights,
                   .lead_amplitudes = arrays.lead_amplitudes,
                   .lead_tq_mv = arrays.lead_tq_mv,
                   .p_similarity = arrays.p_similarity},
                  model, arrays.confidence);
  leave_out_uncertain_p(context, arrays.confidence, arrays.fiducials, arrays.lead_fiducials, arrays.lead_amplitudes);
}

void add_qtc(const DelineatedBeats& beats, const WaveOptions& options, double rate_hz, BeatWaves& waves) {
  const auto rr_s = local_rr_s(beats.r_peaks, beats.broken, rate_hz);
  waves.qtc_ms.resize(waves.beats());
  parallel_for(Cpu(), waves.beats(), 4096, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      waves.qtc_ms[i] =
          static_cast<float>(corrected_qt(wave_intervals(waves.fiducials_of(i)).qt, rr_s[i], options.qtc));
  });
}

// Sets a beat's values in an array [rows][beats][width] to NaN.
void clear_beat(std::vector<float>& values, std::int64_t rows, std::int64_t beats, std::int64_t beat) {
  const std::int64_t width = std::ssize(values) / (rows * beats);
  for (std::int64_t row = 0; row < rows; ++row)
    std::fill_n(values.begin() + (row * beats + beat) * width, width, kAbsent);
}

}  // namespace

std::span<const float> BeatWaves::fiducials_of(std::int64_t beat) const {
  return std::span(fiducials).subspan(beat * kFiducials, kFiducials);
}

template <class Context>
BeatWaves delineate(Context& context, const Recording<Context>& recording, std::span<const std::int64_t> leads,
                    const DelineatedBeats& beats, const DelineationModel& model, const WaveOptions& options,
                    double sample_rate_hz, std::int64_t range_beats) {
  if (beats.r_peaks.empty() || leads.empty() || sample_rate_hz < kLeastRateHz || sample_rate_hz > kMostRateHz)
    return {};
  BeatWaves waves;
  const std::int64_t count = std::ssize(beats.r_peaks);
  const auto inputs = inputs_of(context, recording, leads, beats, model.net, options, sample_rate_hz, waves);
  auto arrays = arrays_of(context, count, std::ssize(leads), waves);
  if (range_beats == 0) range_beats = range_beats_of(context, std::ssize(leads));
  const auto found = delineate_ranges(context, inputs, ranges_of(count, range_beats), arrays);
  fuse_amplitudes(context, arrays.lead_amplitudes, arrays.fiducials, arrays.st_mv);
  compare_shapes(context, count, arrays);
  add_confidence(context, inputs, model.confidence, arrays);
  bring_results(context, arrays, waves);
  for (const auto& of_range : found)
    for (const NonConductedWave& wave : of_range) {
      const double r = beats.r_peaks[wave.beat], step = sample_rate_hz / kValuesHz;
      waves.non_conducted.push_back({wave.beat, r + wave.onset * step, r + wave.offset * step});
    }
  add_qtc(beats, options, sample_rate_hz, waves);
  return waves;
}

void take_waves_off(BeatWaves& waves, std::span<const std::uint8_t> without) {
  BEATSCAN_EXPECTS(std::ssize(without) == waves.beats(), "take_waves_off: bad shape");
  for (std::int64_t beat = 0; beat < waves.beats(); ++beat) {
    if (!without[beat]) continue;
    for (auto* values :
         {&waves.fiducials, &waves.qtc_ms, &waves.st_mv, &waves.p_evidence, &waves.p_similarity, &waves.confidence})
      clear_beat(*values, 1, waves.beats(), beat);
    for (auto* values : {&waves.lead_fiducials, &waves.lead_amplitudes, &waves.lead_tq_mv})
      clear_beat(*values, std::ssize(waves.leads), waves.beats(), beat);
  }
  std::erase_if(waves.non_conducted, [&](const NonConductedP& wave) {
    return without[wave.beat] || (wave.beat + 1 < waves.beats() && without[wave.beat + 1]);
  });
}

#define BEATSCAN_DELINEATE(Context)                                                                         \
  template BeatWaves delineate(Context&, const Recording<Context>&, std::span<const std::int64_t>,          \
                               const DelineatedBeats&, const DelineationModel&, const WaveOptions&, double, \
                               std::int64_t);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_DELINEATE)

}  // namespace beatscan
