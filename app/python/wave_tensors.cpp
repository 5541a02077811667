#include "app/python/wave_tensors.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "app/python/leads.h"
#include "app/python/tensors.h"
#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"
#include "stages/waves/wave_intervals.h"

namespace beatscan::operators {
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

}  // namespace beatscan::operators
