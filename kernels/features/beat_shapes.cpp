#include "kernels/features/beat_shapes.h"

#include <algorithm>

#include "kernels/features/beat_measures.h"
#include "kernels/features/medians.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan::features {
namespace {

constexpr int kMeasureGroups = 3;

void write_hann(float* hann, int size) {
  for (int i = 0; i < size; ++i)
    hann[i] = static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * i / (size - 1)));
}

ShapeTables shape_tables() {
  constexpr double kTurn = 2 * std::numbers::pi;
  ShapeTables tables;
  write_hann(tables.hann, kSpectrum.size);
  for (int i = 0; i < kSpectrum.size; ++i)
    for (int k = 0; k < kLowFrequencies; ++k) {
      tables.cosines[k][i] = static_cast<float>(std::cos(kTurn * (k + 1) * i / kSpectrum.size));
      tables.sines[k][i] = static_cast<float>(std::sin(kTurn * (k + 1) * i / kSpectrum.size));
    }
  write_hann(tables.lobe, kLobeValues);
  const float mean = mean_of(tables.lobe, kLobeValues);
  for (float& value : tables.lobe) value -= mean;
  const float energy = energy_of(tables.lobe, kLobeValues);
  for (float& value : tables.lobe) value /= energy;
  return tables;
}

// A reference in the context's memory.
struct LoadedReference {
  Buffer<float, BackEnd> dominant, sample, sample_ratio;
  Buffer<std::uint8_t, BackEnd> is_early;
  Buffer<ShapeTables, BackEnd> tables;
};
LoadedReference loaded(BackEnd& context, const LeadReference& reference) {
  return {from_host(context, reference.dominant), from_host(context, reference.sample),
          from_host(context, reference.sample_ratio), from_host(context, reference.is_early),
          from_host(context, std::vector{shape_tables()})};
}

}  // namespace

void halve_windows(BackEnd& context, std::span<const float> windows, std::span<float> halves) {
  BEATSCAN_EXPECTS(windows.size() == 2 * halves.size() && halves.size() % kValues == 0, "halve_windows: bad shape");
  each(
      context, std::ssize(halves),
      [windows = windows.data(), halves = halves.data()] BEATSCAN_DEVICE(std::int64_t i) {
        halves[i] = (windows[2 * i] + windows[2 * i + 1]) / 2;
      },
      1 << 16);
}

void qrs_correlations(BackEnd& context, std::span<const float> windows, std::span<const float> reference,
                      std::span<float> correlations) {
  BEATSCAN_EXPECTS(windows.size() == correlations.size() * kValues && reference.size() == kValues,
                   "qrs_correlations: bad shape");
  each(
      context, std::ssize(correlations),
      [windows = windows.data(), reference = reference.data(), correlations = correlations.data()] BEATSCAN_DEVICE(
          std::int64_t w) { correlations[w] = qrs_correlation(windows + w * kValues, reference); },
      1024);
}

void beat_shapes(BackEnd& context, const ShapeRange& range, const LeadReference& reference, std::span<float> measures) {
  const std::int64_t windows = std::ssize(range.windows) / kValues;
  BEATSCAN_EXPECTS(range.first % kBlock == 0 && std::ssize(measures) == range.beats * kShapeMeasures &&
                       range.skip + range.beats <= windows && std::ssize(range.dominant) == windows &&
                       std::ssize(range.rr_s) == windows && std::ssize(reference.dominant) == kValues &&
                       reference.sample.size() == reference.sample_ratio.size() * kQrsValues &&
                       reference.is_early.size() == reference.sample_ratio.size(),
                   "beat_shapes: bad shape");
  const LoadedReference loaded_reference = loaded(context, reference);
  const float* dominant = reference.dominant.data();
  const ShapeView view{.windows = range.windows.data(),
                       .count = windows,
                       .rr_s = range.rr_s.data(),
                       .dominant = loaded_reference.dominant.data(),
                       .sample = loaded_reference.sample.data(),
                       .sample_ratio = loaded_reference.sample_ratio.data(),
                       .is_early = loaded_reference.is_early.data(),
                       .samples = std::ssize(reference.sample_ratio),
                       .tables = loaded_reference.tables.data(),
                       .amplitude = larger(range_of(dominant + kQrs.first, kQrs.size), kLeastHeight),
                       .dominant_line = line_of(dominant)};
  Buffer<std::uint8_t, BackEnd> fit(context, windows);
  each(
      context, windows,
      [view, is_dominant = range.dominant.data(), fit = fit.data()] BEATSCAN_DEVICE(std::int64_t w) {
        fit[w] = is_dominant[w] && qrs_correlation(view.window(w), view.dominant) > kDominantCorrelation;
      },
      1024);
  Buffer<float, BackEnd> local(context, (range.beats + kBlock - 1) / kBlock * kValues);
  local_beats(context, range, fit, local);
  each(
      context, kMeasureGroups * range.beats,
      [view, local = local.data(), skip = range.skip, beats = range.beats,
       measures = measures.data()] BEATSCAN_DEVICE(std::int64_t i) {
        const std::int64_t beat = i % beats, w = skip + beat;
        const float* of_block = local + beat / kBlock * kValues;
        float* out = measures + beat * kShapeMeasures;
        switch (i / beats) {
          case 0:
            return measure_qrs_and_t(view, w, of_block, out);
          case 1:
            return measure_p(view, w, of_block, out);
          default:
            return measure_similar(view, w, out);
        }
      },
      256);
}

}  // namespace beatscan::features
