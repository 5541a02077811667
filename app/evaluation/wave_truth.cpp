#include "app/evaluation/wave_truth.h"

#include <algorithm>
#include <cmath>

#include "app/evaluation/truth.h"

namespace beatscan {
namespace {

bool is_onset(WaveFiducial fiducial) {
  return fiducial == WaveFiducial::p_onset || fiducial == WaveFiducial::qrs_onset;
}

bool is_peak(WaveFiducial fiducial) { return fiducial == WaveFiducial::p_peak || fiducial == WaveFiducial::t_peak; }

std::optional<WaveType> type_of_symbol(char symbol) {
  if (symbol == 'p') return WaveType::p;
  if (symbol == 't') return WaveType::t;
  return class_of(symbol) ? std::optional(WaveType::qrs) : std::nullopt;
}

// Assembles waves from annotations in time order.
class WaveReader {
 public:
  explicit WaveReader(double sample_rate_hz) : sample_rate_hz_(sample_rate_hz) {}

  void add(const Annotation& annotation) {
    const std::int64_t time_us = microseconds_at(annotation.sample, sample_rate_hz_);
    const auto type = type_of_symbol(annotation.symbol);
    if (annotation.symbol == '(') {
      onset_us_ = time_us;
      open_ = false;
      truth_.has_onsets = true;
    } else if (annotation.symbol == ')') {
      if (open_) truth_.waves.back().end_us = time_us;
      onset_us_.reset();
      open_ = false;
      truth_.has_ends = true;
    } else if (annotation.symbol == 'u') {
      onset_us_.reset();
      open_ = false;
      return;
    } else if (type) {
      add_peak(*type, time_us);
    } else {
      return;
    }
    if (is_first_) truth_.first_us = time_us;
    is_first_ = false;
    truth_.last_us = time_us;
  }

  std::optional<WaveTruth> take() {
    const bool has_waves = truth_.has_onsets || truth_.has_ends ||
                           std::ranges::any_of(truth_.waves, [](const auto& w) { return w.type != WaveType::qrs; });
    return has_waves ? std::optional(std::move(truth_)) : std::nullopt;
  }

 private:
  void add_peak(WaveType type, std::int64_t time_us) {
    if (open_ && truth_.waves.back().type == type) return;  // the second peak of a biphasic wave
    truth_.waves.push_back({type, onset_us_, time_us, {}});
    onset_us_.reset();
    open_ = true;
  }

  double sample_rate_hz_;
  WaveTruth truth_;
  std::optional<std::int64_t> onset_us_;  // of a wave whose peak is still to come
  bool open_ = false;                     // the last wave may still get its end
  bool is_first_ = true;
};

}  // namespace

std::int64_t microseconds_at(std::int64_t sample, double sample_rate_hz) {
  constexpr double kMost = 9e18;  // a damaged file may have any sample number
  return std::llround(std::clamp(1e6 * static_cast<double>(sample) / sample_rate_hz, -kMost, kMost));
}

WaveType type_of(WaveFiducial fiducial) {
  if (fiducial <= WaveFiducial::p_end) return WaveType::p;
  return fiducial <= WaveFiducial::qrs_end ? WaveType::qrs : WaveType::t;
}

bool WaveTruth::covers(WaveFiducial fiducial) const {
  if (is_onset(fiducial)) return has_onsets;
  if (!is_peak(fiducial)) return has_ends;
  return has_onsets || has_ends ||
         std::ranges::any_of(waves, [&](const auto& wave) { return wave.type == type_of(fiducial); });
}

std::optional<WaveTruth> wave_truth_of(std::span<const Annotation> annotations, double sample_rate_hz) {
  WaveReader reader(sample_rate_hz);
  for (const Annotation& annotation : annotations) reader.add(annotation);
  return reader.take();
}

std::optional<WaveTruth> read_wave_truth(const std::filesystem::path& path, const SignalClock& clock,
                                         double sample_rate_hz) {
  if (is_csv(path)) return std::nullopt;
  auto annotations = read_annotations(path, clock);
  std::ranges::stable_sort(annotations, {}, &Annotation::sample);
  return wave_truth_of(annotations, sample_rate_hz);
}

std::optional<std::int64_t> time_of(const AnnotatedWave& wave, WaveFiducial fiducial) {
  if (wave.type != type_of(fiducial)) return std::nullopt;
  if (is_peak(fiducial)) return wave.peak_us;
  return is_onset(fiducial) ? wave.onset_us : wave.end_us;
}

}  // namespace beatscan
