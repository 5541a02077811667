#include "app/python/results.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include <ATen/ops/full.h>

#include "app/python/tensors.h"
#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"
#include "stages/waves/wave_summary.h"

namespace beatscan::operators {

namespace {

template <class Context>
at::Tensor flags_on(Context& context, const std::vector<std::uint8_t>& flags) {
  Buffer<bool, Context> buffer(context, std::ssize(flags));
  copy_bytes(context, flags.data(), buffer.data(), flags.size());
  context.synchronize();
  return tensor_of(context, std::move(buffer));
}

// Expands values of the first lead's rows to all beats; `none` for a beat without a row.
template <class T>
std::vector<T> by_beat(const std::vector<T>& values, const std::vector<std::int64_t>& kept, std::size_t beats, T none) {
  std::vector<T> all(beats, none);
  for (std::size_t row = 0; row < kept.size(); ++row) all[kept[row]] = values[row];
  return all;
}

// Creates columns of beats.csv, one value a beat, on the context's device.
template <class Context>
class ColumnMaker {
 public:
  ColumnMaker(Context& context, std::vector<std::int64_t> kept, std::size_t beats)
      : context_(context), kept_(std::move(kept)), beats_(beats) {}

  template <class T>
  void add(const char* name, const std::vector<T>& of_beats) {
    columns_.insert(name, tensor_of(context_, of_beats));
  }
  void add_of_rows(const char* name, const std::vector<float>& values) {
    add(name, by_beat(values, kept_, beats_, std::numeric_limits<float>::quiet_NaN()));
  }
  void add_flags_of_rows(const char* name, const std::vector<std::uint8_t>& flags) {
    columns_.insert(name, flags_on(context_, by_beat(flags, kept_, beats_, std::uint8_t{0})));
  }
  // Converts leads of the recording to rows of x; -1 for a beat without a row.
  void add_leads_of_rows(const char* name, const std::vector<std::uint8_t>& leads,
                         const std::vector<std::int64_t>& lead_rows) {
    std::vector<std::int64_t> rows;
    for (const std::uint8_t lead : leads) rows.push_back(lead_rows[lead]);
    add(name, by_beat(rows, kept_, beats_, std::int64_t{-1}));
  }
  // Expands the first lead's latents, [rows][Z], to all beats, [beats][Z].
  void add_latents(const std::vector<float>& latents, std::size_t rows) {
    const std::size_t z = latents.size() / rows;
    std::vector<float> all(beats_ * z, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < kept_.size() * z; ++i) all[kept_[i / z] * z + i % z] = latents[i];
    columns_.insert("latents", tensor_of(context_, from_host(context_, all),
                                         {static_cast<std::int64_t>(beats_), static_cast<std::int64_t>(z)}));
  }
  Columns take() { return std::move(columns_); }

 private:
  Context& context_;
  std::vector<std::int64_t> kept_;
  std::size_t beats_;
  Columns columns_;
};

}  // namespace

template <class Context>
Columns columns_of(Context& context, const KnownBeats<Context>& found, const EmbeddedBeats<Context>& embedded,
                   const ScoredBeats& scored, const std::vector<std::int64_t>& lead_rows) {
  auto kept = to_host(context, embedded.rows.kept);
  const std::vector<std::uint8_t> all(kept.size(), 1);
  ColumnMaker<Context> columns(context, std::move(kept), found.list.r_peaks.size());
  columns.add("r_peak", found.list.r_peaks);
  columns.add_flags_of_rows("kept", all);
  columns.add_of_rows("reconstruction_error", scored.rows.reconstruction_error);
  columns.add_of_rows("kl", scored.rows.kl);
  columns.add_latents(scored.rows.latents, scored.rows.kl.size());
  columns.add_of_rows("score", scored.scores.score);
  columns.add_flags_of_rows("anomalous", scored.scores.anomalous);
  if (!scored.ranking) return columns.take();
  const Rhythm rhythm = to_host(context, embedded.rhythm);
  columns.add("rr_prev_ratio", rhythm.prev_ratio);
  columns.add("rr_next_ratio", rhythm.next_ratio);
  columns.add_of_rows("waveform_score", scored.ranking->waveform);
  columns.add_of_rows("rhythm_score", scored.ranking->rhythm);
  columns.add_of_rows("noise", scored.ranking->noise);
  columns.add_of_rows("baseline_score", scored.ranking->baseline.score);
  columns.add("quality", codes_of(found.list.quality));
  columns.add_leads_of_rows("lead", scored.ranking->lead, lead_rows);
  return columns.take();
}

#define BEATSCAN_COLUMNS(Context)                                                                                      \
  template Columns columns_of(Context&, const KnownBeats<Context>&, const EmbeddedBeats<Context>&, const ScoredBeats&, \
                              const std::vector<std::int64_t>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_COLUMNS)

namespace {

constexpr int kIntervals = 4, kShownAmplitudes = 3;

// Computes the tensors' values of one beat in one lead, or over all leads.
class WaveValues {
 public:
  WaveValues(const BeatList& beats, const Config& config)
      : r_peaks_(beats.r_peaks),
        rr_s_(local_rr_s(beats.r_peaks, beats.broken, *config.ingest.sample_rate_hz)),
        samples_a_value_(*config.ingest.sample_rate_hz / waves::kValuesHz),
        correction_(config.waves.qtc) {}

  // Writes samples: [9], from [9] values relative to the beat's R peak.
  void add_samples(std::int64_t beat, std::span<const float> fiducials, double* samples) const {
    for (int i = 0; i < waves::kFiducials; ++i) samples[i] = r_peaks_[beat] + samples_a_value_ * fiducials[i];
  }
  // Writes milliseconds: [4].
  void add_intervals(std::int64_t beat, std::span<const float> fiducials, float* ms) const {
    const auto [pr, qrs, qt] = wave_intervals(fiducials);
    const auto qtc = static_cast<float>(corrected_qt(qt, rr_s_[beat], correction_));
    std::ranges::copy(std::array{pr, qrs, qt, qtc}, ms);
  }

 private:
  const std::vector<double>& r_peaks_;
  std::vector<double> rr_s_;
  double samples_a_value_;
  QtCorrection correction_;
};

// Values by row of x, `width` of them a beat, as a tensor.
template <class T>
class ByRow {
 public:
  ByRow(const at::Tensor& x, std::int64_t beats, std::int64_t width)
      : x_(x),
        beats_(beats),
        width_(width),
        values_((x.dim() == 2 ? x.size(0) : 1) * beats * width, std::numeric_limits<T>::quiet_NaN()) {}

  T* at(std::int64_t row, std::int64_t beat) { return values_.data() + (row * beats_ + beat) * width_; }

  template <class Context>
  at::Tensor tensor(Context& context) const {
    auto sizes = width_ > 1 ? std::vector{beats_, width_} : std::vector{beats_};
    return tensor_of(context, from_host(context, values_), sizes_by_lead(x_, std::move(sizes)));
  }

 private:
  const at::Tensor& x_;
  std::int64_t beats_, width_;
  std::vector<T> values_;
};

template <class Context>
void add_leads(Context& context, const at::Tensor& x, const WaveValues& values, const BeatWaves& found,
               const std::vector<std::int64_t>& lead_rows, WaveTensors& tensors) {
  const std::int64_t beats = found.beats();
  ByRow<double> samples(x, beats, waves::kFiducials);
  ByRow<float> intervals(x, beats, kIntervals), amplitudes(x, beats, kShownAmplitudes), tq_mv(x, beats, 1);
  for (std::int64_t l = 0; l < std::ssize(found.leads); ++l) {
    const std::int64_t row = lead_rows[found.leads[l]];
    for (std::int64_t beat = 0; beat < beats; ++beat) {
      const auto fiducials =
          std::span(found.lead_fiducials).subspan((l * beats + beat) * waves::kFiducials, waves::kFiducials);
      std::array<float, waves::kFiducials> shown_fiducials;
      std::ranges::copy(fiducials, shown_fiducials.begin());
      shown_fiducials[waves::kTPeak] = found.lead_t_peak(l, beat);
      values.add_samples(beat, shown_fiducials, samples.at(row, beat));
      values.add_intervals(beat, fiducials, intervals.at(row, beat));
      const float* of_beat = &found.lead_amplitudes[(l * beats + beat) * waves::kAmplitudes];
      float* shown = amplitudes.at(row, beat);
      shown[0] = of_beat[waves::kPAmplitude];
      shown[1] = of_beat[waves::kStLevel];
      shown[2] = of_beat[waves::kTAmplitude];
      *tq_mv.at(row, beat) = found.lead_tq_mv[l * beats + beat];
    }
  }
  tensors.insert("lead_fiducials", samples.tensor(context));
  tensors.insert("lead_intervals", intervals.tensor(context));
  tensors.insert("lead_amplitudes", amplitudes.tensor(context));
  tensors.insert("lead_tq_mv", tq_mv.tensor(context));
}

template <class Context>
at::Tensor tensor_of_p_waves(Context& context, const std::vector<NonConductedP>& found) {
  std::vector<double> values;
  for (const auto& [beat, onset, offset] : found)
    values.insert(values.end(), {static_cast<double>(beat), onset, offset});
  return tensor_of(context, from_host(context, values), {std::ssize(found), 3});
}

}  // namespace

template <class Context>
WaveTensors wave_tensors(Context& context, const at::Tensor& x, const BeatList& beats, const BeatWaves& found,
                         const std::vector<std::int64_t>& lead_rows, const Config& config) {
  const WaveValues values(beats, config);
  std::vector<double> samples(found.beats() * waves::kFiducials);
  std::vector<float> intervals(found.beats() * kIntervals);
  for (std::int64_t beat = 0; beat < found.beats(); ++beat) {
    values.add_samples(beat, found.fiducials_of(beat), &samples[beat * waves::kFiducials]);
    values.add_intervals(beat, found.fiducials_of(beat), &intervals[beat * kIntervals]);
  }
  WaveTensors tensors;
  tensors.insert("fiducials", tensor_of(context, from_host(context, samples), {found.beats(), waves::kFiducials}));
  tensors.insert("intervals", tensor_of(context, from_host(context, intervals), {found.beats(), kIntervals}));
  tensors.insert("confidence",
                 tensor_of(context, from_host(context, found.confidence), {found.beats(), waves::kMasks}));
  tensors.insert("st_mv", tensor_of(context, found.st_mv));
  tensors.insert("p_evidence", tensor_of(context, found.p_evidence));
  tensors.insert("p_similarity", tensor_of(context, found.p_similarity));
  tensors.insert("non_conducted_p", tensor_of_p_waves(context, found.non_conducted));
  add_leads(context, x, values, found, lead_rows, tensors);
  return tensors;
}

#define BEATSCAN_WAVE_TENSORS(Context)                                                              \
  template WaveTensors wave_tensors(Context&, const at::Tensor&, const BeatList&, const BeatWaves&, \
                                    const std::vector<std::int64_t>&, const Config&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_WAVE_TENSORS)

namespace {

constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

}  // namespace

template <class Context>
at::Tensor take_rows(Context& context, const at::Tensor& x, const std::vector<std::int64_t>& lead_rows,
                     EmbeddedBeats<Context>& embedded) {
  const std::int64_t beats = embedded.beats(), points = embedded.rows.points;
  if (x.dim() == 1) return tensor_of(context, std::move(embedded.rows.values), {beats, points});
  const std::int64_t leads = x.size(0), cut = embedded.rows.count / std::max<std::int64_t>(beats, 1);
  const at::Tensor own = tensor_of(context, std::move(embedded.rows.values), {cut, beats, points});
  const at::Tensor all = cut == leads ? own : at::full({leads, beats, points}, kNoValue, own.options());
  for (std::int64_t i = 0; i < std::ssize(embedded.leads); ++i) {
    auto& lead = embedded.leads[i];
    const at::Tensor row = all.select(0, lead_rows[lead.lead]);
    if (cut < leads) row.copy_(own.select(0, i));
    if (lead.present.size() > 0)
      row.masked_fill_(tensor_of(context, std::move(lead.present)).eq(0).unsqueeze(1), kNoValue);
  }
  return all;
}

template <class Context>
at::Tensor reference_of(Context& context, const at::Tensor& x, const std::vector<std::int64_t>& lead_rows,
                        const EmbeddedBeats<Context>& embedded) {
  const std::int64_t points = embedded.rows.points, leads = x.dim() == 2 ? x.size(0) : 1;
  std::vector<float> references(leads * 2 * points, kNoValue);
  if (embedded.leads.empty()) {  // method published: a row is the beat itself
    std::fill_n(references.begin(), points, 0.0f);
    std::fill_n(references.begin() + points, points, 1.0f);
  }
  for (const auto& lead : embedded.leads) {
    const auto& [rows, values, median, amplitude, spread] = lead.beats.reference;
    float* reference = &references[lead_rows[lead.lead] * 2 * points];
    for (std::int64_t i = 0; i < points; ++i) {
      reference[i] = static_cast<float>(amplitude * median[i]);
      reference[points + i] = static_cast<float>(amplitude * spread);
    }
  }
  return tensor_of(context, from_host(context, references), sizes_by_lead(x, {2, points}));
}

#define BEATSCAN_EMBEDDED_TENSORS(Context)                                                        \
  template at::Tensor take_rows(Context&, const at::Tensor&, const std::vector<std::int64_t>&,    \
                                EmbeddedBeats<Context>&);                                         \
  template at::Tensor reference_of(Context&, const at::Tensor&, const std::vector<std::int64_t>&, \
                                   const EmbeddedBeats<Context>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_EMBEDDED_TENSORS)

}  // namespace beatscan::operators
