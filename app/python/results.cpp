#include "app/python/results.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "app/python/arrays.h"
#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"
#include "stages/waves/wave_summary.h"

namespace beatscan::operators {

namespace {

template <class Context>
OwnedArray flags_on(Context& context, const std::vector<std::uint8_t>& flags) {
  Buffer<bool, Context> buffer(context, std::ssize(flags));
  copy_bytes(context, flags.data(), buffer.data(), flags.size());
  context.synchronize();
  return array_of(context, std::move(buffer));
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
    columns_.emplace_back(name, array_of(context_, of_beats));
  }
  void add_of_rows(const char* name, const std::vector<float>& values) {
    add(name, by_beat(values, kept_, beats_, std::numeric_limits<float>::quiet_NaN()));
  }
  void add_flags_of_rows(const char* name, const std::vector<std::uint8_t>& flags) {
    columns_.emplace_back(name, flags_on(context_, by_beat(flags, kept_, beats_, std::uint8_t{0})));
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
    columns_.emplace_back("latents", array_of(context_, from_host(context_, all),
                                              {static_cast<std::int64_t>(beats_), static_cast<std::int64_t>(z)}));
  }
  Results take() { return std::move(columns_); }

 private:
  Context& context_;
  std::vector<std::int64_t> kept_;
  std::size_t beats_;
  Results columns_;
};

}  // namespace

template <class Context>
Results columns_of(Context& context, const KnownBeats<Context>& found, const EmbeddedBeats<Context>& embedded,
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
  template Results columns_of(Context&, const KnownBeats<Context>&, const EmbeddedBeats<Context>&, const ScoredBeats&, \
                              const std::vector<std::int64_t>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_COLUMNS)

namespace {

constexpr int kIntervals = 4, kShownAmplitudes = 3;

// Computes the arrays' values of one beat in one lead, or over all leads.
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

// Values by row of x, `width` of them a beat, as an array.
template <class T>
class ByRow {
 public:
  ByRow(const Array& x, std::int64_t beats, std::int64_t width)
      : x_(x),
        beats_(beats),
        width_(width),
        values_((x.dim() == 2 ? x.sizes[0] : 1) * beats * width, std::numeric_limits<T>::quiet_NaN()) {}

  T* at(std::int64_t row, std::int64_t beat) { return values_.data() + (row * beats_ + beat) * width_; }

  template <class Context>
  OwnedArray array(Context& context) const {
    auto sizes = width_ > 1 ? std::vector{beats_, width_} : std::vector{beats_};
    return array_of(context, from_host(context, values_), sizes_by_lead(x_, std::move(sizes)));
  }

 private:
  const Array& x_;
  std::int64_t beats_, width_;
  std::vector<T> values_;
};

template <class Context>
void add_leads(Context& context, const Array& x, const WaveValues& values, const BeatWaves& found,
               const std::vector<std::int64_t>& lead_rows, Results& waves) {
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
  waves.emplace_back("lead_fiducials", samples.array(context));
  waves.emplace_back("lead_intervals", intervals.array(context));
  waves.emplace_back("lead_amplitudes", amplitudes.array(context));
  waves.emplace_back("lead_tq_mv", tq_mv.array(context));
}

template <class Context>
OwnedArray array_of_p_waves(Context& context, const std::vector<NonConductedP>& found) {
  std::vector<double> values;
  for (const auto& [beat, onset, offset] : found)
    values.insert(values.end(), {static_cast<double>(beat), onset, offset});
  return array_of(context, from_host(context, values), {std::ssize(found), 3});
}

}  // namespace

template <class Context>
Results wave_arrays(Context& context, const Array& x, const BeatList& beats, const BeatWaves& found,
                    const std::vector<std::int64_t>& lead_rows, const Config& config) {
  const WaveValues values(beats, config);
  std::vector<double> samples(found.beats() * waves::kFiducials);
  std::vector<float> intervals(found.beats() * kIntervals);
  for (std::int64_t beat = 0; beat < found.beats(); ++beat) {
    values.add_samples(beat, found.fiducials_of(beat), &samples[beat * waves::kFiducials]);
    values.add_intervals(beat, found.fiducials_of(beat), &intervals[beat * kIntervals]);
  }
  Results waves;
  waves.emplace_back("fiducials", array_of(context, from_host(context, samples), {found.beats(), waves::kFiducials}));
  waves.emplace_back("intervals", array_of(context, from_host(context, intervals), {found.beats(), kIntervals}));
  waves.emplace_back("confidence",
                     array_of(context, from_host(context, found.confidence), {found.beats(), waves::kMasks}));
  waves.emplace_back("st_mv", array_of(context, found.st_mv));
  waves.emplace_back("p_evidence", array_of(context, found.p_evidence));
  waves.emplace_back("p_similarity", array_of(context, found.p_similarity));
  waves.emplace_back("non_conducted_p", array_of_p_waves(context, found.non_conducted));
  add_leads(context, x, values, found, lead_rows, waves);
  return waves;
}

#define BEATSCAN_WAVE_ARRAYS(Context)                                                     \
  template Results wave_arrays(Context&, const Array&, const BeatList&, const BeatWaves&, \
                               const std::vector<std::int64_t>&, const Config&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_WAVE_ARRAYS)

namespace {

constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

// Sets the rows [B][D] of beats without signal to NaN. Such beats follow each other where a lead is missing.
template <class Context>
void clear_rows(Context& context, const std::vector<std::uint8_t>& present, std::span<float> rows) {
  if (present.empty()) return;
  const std::size_t points = rows.size() / present.size();
  for (auto first = present.begin(); (first = std::find(first, present.end(), 0)) != present.end();) {
    const auto last = std::find_if(first, present.end(), [](std::uint8_t flag) { return flag != 0; });
    const auto count = static_cast<std::size_t>(last - first) * points;
    const auto offset = static_cast<std::size_t>(first - present.begin()) * points;
    const std::vector<float> none(count, kNoValue);
    copy(context, std::span(none), rows.subspan(offset, count));
    first = last;
  }
}

}  // namespace

template <class Context>
OwnedArray take_rows(Context& context, const Array& x, const std::vector<std::int64_t>& lead_rows,
                     EmbeddedBeats<Context>& embedded) {
  const std::int64_t beats = embedded.beats(), points = embedded.rows.points, of_lead = beats * points;
  if (x.dim() == 1) return array_of(context, std::move(embedded.rows.values), {beats, points});
  const std::int64_t leads = x.sizes[0];
  Buffer<float, Context> all = std::move(embedded.rows.values);
  if (all.size() < leads * of_lead) {
    const Buffer<float, Context> own = std::move(all);
    all = from_host(context, std::vector<float>(static_cast<std::size_t>(leads * of_lead), kNoValue));
    for (std::int64_t i = 0; i < std::ssize(embedded.leads); ++i)
      copy(context, own.span().subspan(i * of_lead, of_lead),
           all.span().subspan(lead_rows[embedded.leads[i].lead] * of_lead, of_lead));
  }
  for (const auto& lead : embedded.leads)
    clear_rows(context, to_host(context, lead.present), all.span().subspan(lead_rows[lead.lead] * of_lead, of_lead));
  return array_of(context, std::move(all), {leads, beats, points});
}

template <class Context>
OwnedArray reference_of(Context& context, const Array& x, const std::vector<std::int64_t>& lead_rows,
                        const EmbeddedBeats<Context>& embedded) {
  const std::int64_t points = embedded.rows.points, leads = x.dim() == 2 ? x.sizes[0] : 1;
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
  return array_of(context, from_host(context, references), sizes_by_lead(x, {2, points}));
}

#define BEATSCAN_EMBEDDED_ARRAYS(Context)                                                                           \
  template OwnedArray take_rows(Context&, const Array&, const std::vector<std::int64_t>&, EmbeddedBeats<Context>&); \
  template OwnedArray reference_of(Context&, const Array&, const std::vector<std::int64_t>&,                        \
                                   const EmbeddedBeats<Context>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_EMBEDDED_ARRAYS)

}  // namespace beatscan::operators
