#include "stages/waves/waves.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/templates/shape_distances.h"
#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"
#include "kernels/waves/non_conducted.h"
#include "kernels/waves/wave_confidence.h"
#include "stages/io/recording/recording.h"
#include "stages/waves/wave_range.h"
#include "stages/waves/wave_summary.h"

namespace beatscan {

std::vector<std::int32_t> averaging_groups(std::span<const std::uint8_t> template_of,
                                           std::span<const std::int64_t> kept,
                                           std::span<const std::uint8_t> premature) {
  BEATSCAN_EXPECTS(template_of.size() == kept.size(), "averaging_groups: bad shape");
  std::vector<std::int32_t> groups(premature.size(), -1);
  for (std::size_t b = 0; b < kept.size(); ++b) groups[kept[b]] = 2 * template_of[b] + premature[kept[b]];
  return groups;
}

namespace {

using namespace waves;

constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();
constexpr double kMaxStValues = 100;

template <class Context>
WaveInputs<Context> inputs_of(Context& context, const Recording<Context>& recording,
                              std::span<const std::int64_t> leads, const DelineatedBeats& beats, const NetModel& model,
                              const WaveOptions& options, double rate_hz) {
  const std::int64_t count = std::ssize(beats.r_peaks);
  WaveInputs<Context> inputs{.rate_hz = rate_hz,
                             .st_values = std::clamp(options.st_after_j_s * kValuesHz, 0.0, kMaxStValues),
                             .net = load_net(context, model),
                             .table = {},
                             .r = from_host(context, std::vector(beats.r_peaks.begin(), beats.r_peaks.end())),
                             .before = {context, count},
                             .after = {context, count},
                             .labels = from_host(context, std::vector(beats.templates.begin(), beats.templates.end())),
                             .marks = {context, count}};
  rr_intervals(context, inputs.r, rate_hz, inputs.before, inputs.after);
  beat_marks(context, inputs.before, inputs.after, inputs.marks);
  for (const std::int64_t number : leads) {
    const auto& lead = recording.leads[number];
    inputs.leads.push_back({{.samples = lead.samples,
                             .gap_firsts = lead.gap_firsts,
                             .gap_lasts = lead.gap_lasts,
                             .rate_hz = rate_hz,
                             .mv_per_unit = lead.scale.mv_per_unit},
                            {context, baseline_blocks(lead.samples.size(), rate_hz)}});
    baseline(context, inputs.leads.back().signal, inputs.leads.back().levels);
  }
  inputs.table = sampling_table(context, rate_hz);  // is computed while a GPU works on the baselines
  return inputs;
}

void make_room(std::int64_t beats, std::int64_t leads, BeatWaves& waves) {
  for (auto* values : {&waves.qtc_ms, &waves.p_evidence, &waves.st_mv, &waves.p_similarity}) values->resize(beats);
  waves.fiducials.resize(beats * kFiducials);
  waves.confidence.resize(beats * kMasks);
  waves.lead_fiducials.resize(leads * beats * kFiducials);
  waves.lead_amplitudes.resize(leads * beats * kAmplitudes);
  waves.lead_tq_mv.resize(leads * beats);
}

// Returns a device's array of results, or on the CPU the host's own.
Buffer<float, Cpu> results_in(Cpu&, std::vector<float>& host, std::int64_t) {
  return Buffer<float, Cpu>::borrowed(host);
}
void bring_results(Cpu&, const WaveArrays<Cpu>&, BeatWaves&) {}

// Calls both. The host's memory is made ready first, because results are written to it.
template <class OnHost, class OnContext>
void run_both(Cpu&, const OnHost& on_host, const OnContext& on_context) {
  on_host();
  on_context();
}

#ifdef BEATSCAN_WITH_CUDA
Buffer<float, Cuda> results_in(Cuda& cuda, std::vector<float>&, std::int64_t size) { return {cuda, size}; }

// The host's memory, which takes the system as long to give as the GPU works, is made ready meanwhile.
template <class OnHost, class OnContext>
void run_both(Cuda&, const OnHost& on_host, const OnContext& on_context) {
  run_together(on_context, on_host);
}

// Copies arrays through page-locked memory, from which all threads copy on.
void bring_results(Cuda& cuda, const WaveArrays<Cuda>& arrays, BeatWaves& waves) {
  constexpr std::size_t kStaged = 16 << 20, kPiece = 1 << 20;
  const auto staged = cuda.staging(kStaged);
  struct Piece {
    const char* staged;
    char* host;
    std::size_t bytes;
  };
  std::vector<Piece> pieces;
  const auto finish = [&] {
    cuda.synchronize();
    parallel_each(Cpu(), std::ssize(pieces),
                  [&](std::int64_t i) { std::memcpy(pieces[i].host, pieces[i].staged, pieces[i].bytes); });
    pieces.clear();
  };
  for (const auto& [array, host] : {std::pair{&arrays.fiducials, &waves.fiducials},
                                    {&arrays.lead_fiducials, &waves.lead_fiducials},
                                    {&arrays.lead_amplitudes, &waves.lead_amplitudes},
                                    {&arrays.p_evidence, &waves.p_evidence},
                                    {&arrays.lead_tq_mv, &waves.lead_tq_mv},
                                    {&arrays.st_mv, &waves.st_mv},
                                    {&arrays.p_similarity, &waves.p_similarity},
                                    {&arrays.confidence, &waves.confidence}}) {
    const auto from = std::as_bytes(array->span());
    for (std::size_t done = 0; done < from.size(); done += pieces.back().bytes) {
      if (pieces.size() == kStaged / kPiece) finish();
      char* const piece = staged.data() + pieces.size() * kPiece;
      pieces.push_back({piece, reinterpret_cast<char*>(host->data()) + done, std::min(kPiece, from.size() - done)});
      copy_bytes(cuda, from.data() + done, piece, pieces.back().bytes);
    }
  }
  finish();
}
#endif

template <class Context>
WaveArrays<Context> arrays_of(Context& context, std::int64_t beats, std::int64_t leads, BeatWaves& waves) {
  return {.fiducials = results_in(context, waves.fiducials, beats * kFiducials),
          .lead_fiducials = results_in(context, waves.lead_fiducials, leads * beats * kFiducials),
          .lead_amplitudes = results_in(context, waves.lead_amplitudes, leads * beats * kAmplitudes),
          .p_evidence = results_in(context, waves.p_evidence, beats),
          .lead_tq_mv = results_in(context, waves.lead_tq_mv, leads * beats),
          .shapes = {context, beats * leads * kShapeValues},
          .lead_levels = {context, leads * beats * kMasks},
          .lead_heights = {context, leads * beats},
          .st_mv = results_in(context, waves.st_mv, beats),
          .p_similarity = results_in(context, waves.p_similarity, beats),
          .confidence = results_in(context, waves.confidence, beats * kMasks)};
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
// So many beats keep a GPU busy, if they take less than a quarter of its free memory.
std::int64_t range_beats_of(const Cuda& cuda, std::int64_t leads) {
  constexpr std::int64_t kMinBeats = 256, kMaxBeats = 32768;
  return std::clamp(cuda.room_bytes() / 4 / RangeDelineation<Cuda>::bytes_a_beat(leads), kMinBeats, kMaxBeats);
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

void add_qtc(std::span<const double> rr_s, QtCorrection correction, BeatWaves& waves) {
  parallel_for(Cpu(), waves.beats(), 4096, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      waves.qtc_ms[i] = static_cast<float>(corrected_qt(wave_intervals(waves.fiducials_of(i)).qt, rr_s[i], correction));
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

float BeatWaves::lead_t_peak(std::int64_t l, std::int64_t beat) const {
  const auto own = std::span(lead_fiducials).subspan((l * beats() + beat) * kFiducials, kFiducials);
  const float place = lead_amplitudes[(l * beats() + beat) * kAmplitudes + kTPlace];
  return own[kTOnset] <= place && place <= own[kTOffset] ? place : own[kTPeak];
}

template <class Context>
BeatWaves delineate(Context& context, const Recording<Context>& recording, std::span<const std::int64_t> leads,
                    const DelineatedBeats& beats, const DelineationModel& model, const WaveOptions& options,
                    double sample_rate_hz, std::int64_t range_beats) {
  if (beats.r_peaks.empty() || leads.empty() || sample_rate_hz < kLeastRateHz || sample_rate_hz > kMostRateHz)
    return {};
  const std::int64_t count = std::ssize(beats.r_peaks);
  BeatWaves waves{.leads = {leads.begin(), leads.end()}};
  WaveArrays<Context> arrays;
  WavesOfRanges found;
  std::vector<double> rr_s;
  const auto on_host = [&] {
    make_room(count, std::ssize(leads), waves);
    rr_s = local_rr_s(beats.r_peaks, beats.broken, sample_rate_hz);
  };
  const auto on_context = [&] {
    const auto inputs = inputs_of(context, recording, leads, beats, model.net, options, sample_rate_hz);
    arrays = arrays_of(context, count, std::ssize(leads), waves);
    const std::int64_t most = range_beats > 0 ? range_beats : range_beats_of(context, std::ssize(leads));
    found = delineate_ranges(context, inputs, ranges_of(count, most), arrays);
    fuse_amplitudes(context, arrays.lead_amplitudes, arrays.fiducials, arrays.st_mv);
    compare_shapes(context, count, arrays);
    add_confidence(context, inputs, model.confidence, arrays);
  };
  run_both(context, on_host, on_context);
  bring_results(context, arrays, waves);
  for (const auto& of_range : found)
    for (const NonConductedWave& wave : of_range) {
      if (wave.beat < std::ssize(beats.broken) && beats.broken[wave.beat])
        continue;  // the beat that it conducts to may be missing
      const double r = beats.r_peaks[wave.beat], step = sample_rate_hz / kValuesHz;
      waves.non_conducted.push_back({wave.beat, r + wave.onset * step, r + wave.offset * step});
    }
  add_qtc(rr_s, options.qtc, waves);
  return waves;
}

void take_waves_off(BeatWaves& waves, std::span<const std::uint8_t> without) {
  if (waves.beats() == 0) return;  // nothing was delineated
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
