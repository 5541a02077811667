#include "app/output/files/wave_annotations.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "app/output/files/annotation_writer.h"
#include "app/output/run_result.h"
#include "kernels/waves/beat_waves.h"

namespace beatscan {
namespace {

AnnotationCode code_of(WaveKind kind) {
  switch (kind) {
    case WaveKind::p:
      return AnnotationCode::p_wave;
    case WaveKind::qrs:
      return AnnotationCode::normal;
    case WaveKind::t:
      return AnnotationCode::t_wave;
  }
  return AnnotationCode::normal;
}

// Returns a wave in whole samples of the recording. The R peak of an atypical beat may lie outside of its QRS complex.
MarkedWave wave_in_samples(WaveKind kind, double onset, double peak, double end, const RunResult& result) {
  const auto place = [&](double sample) {
    return std::clamp<std::int64_t>(nearest_sample(sample), 0, std::max<std::int64_t>(result.input.samples - 1, 0));
  };
  MarkedWave wave{kind, place(onset), place(peak), place(end)};
  wave.end = std::max(wave.end, wave.onset);
  wave.peak = std::clamp(wave.peak, wave.onset, wave.end);
  return wave;
}

void separate_waves(std::vector<MarkedWave>& waves) {
  for (std::size_t i = 0; i + 1 < waves.size(); ++i) {
    MarkedWave &before = waves[i], &behind = waves[i + 1];
    if (before.end <= behind.onset) continue;
    const std::int64_t middle = std::clamp((before.end + behind.onset) / 2, before.peak, behind.peak);
    before.end = behind.onset = middle;
  }
}

}  // namespace

std::vector<MarkedWave> marked_waves(const RunResult& result) {
  const BeatWaves& found = *result.waves;
  const double values = *result.input.sample_rate_hz / waves::kValuesHz;  // samples a value
  std::vector<MarkedWave> marked;
  for (std::int64_t beat = 0; beat < found.beats(); ++beat) {
    const double r = result.beats.found.r_peaks[beat];
    const auto of_beat = found.fiducials_of(beat);
    for (const auto kind : {WaveKind::p, WaveKind::qrs, WaveKind::t}) {
      const auto wave = of_beat.subspan(3 * static_cast<std::size_t>(kind), 3);  // onset, peak, end
      if (std::ranges::any_of(wave, [](float value) { return std::isnan(value); })) continue;
      marked.push_back(wave_in_samples(kind, r + wave[0] * values, r + wave[1] * values, r + wave[2] * values, result));
    }
  }
  for (const NonConductedP& wave : found.non_conducted)
    marked.push_back(wave_in_samples(WaveKind::p, wave.onset, (wave.onset + wave.offset) / 2, wave.offset, result));
  std::ranges::stable_sort(marked, {}, &MarkedWave::peak);
  separate_waves(marked);
  return marked;
}

std::string wave_annotations(const RunResult& result) {
  AnnotationWriter writer(result.input.sample_rate_hz);
  for (const MarkedWave& wave : marked_waves(result)) {
    writer.add(wave.onset, AnnotationCode::wave_onset, {}, static_cast<unsigned>(wave.kind));
    writer.add(wave.peak, code_of(wave.kind));
    writer.add(wave.end, AnnotationCode::wave_end, {}, static_cast<unsigned>(wave.kind));
  }
  return writer.take();
}

}  // namespace beatscan
