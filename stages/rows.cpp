#include "stages/rows.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>

#include "kernels/beats_common.h"
#include "kernels/centred_rows.h"
#include "kernels/convolve.h"
#include "kernels/distances.h"
#include "kernels/parallel.h"
#include "kernels/wavelets.h"
#include "stages/robust.h"

namespace beatscan {
namespace {

constexpr double kUsualShare = 0.95;        // of the regular beats
constexpr double kLeastSpread = 1e-3;       // in amplitudes: beats that are all alike are not divided by 0
constexpr double kBaselineBlock_s = 0.040;  // the baseline is slow: it is worked out on means of so long

// Sigmas in time of the Gaussians whose low-pass is at -3 dB, and whose remainder (1 - low-pass) is at -3 dB, at f.
double low_pass_sigma_s(double f) { return std::sqrt(std::numbers::ln2) / (2 * std::numbers::pi * f); }
double high_pass_sigma_s(double f) {
  return std::sqrt(-0.5 * std::log(1 - std::numbers::sqrt2 / 2)) / (std::numbers::pi * f);
}

// Ascending stretches of samples, first and last of each.
struct Stretches {
  std::vector<std::int64_t> firsts, lasts;
  // Does any of them touch the samples that lie at or around first .. last?
  bool touch(double first, double last) const {
    return touches_gap(firsts.data(), lasts.data(), std::ssize(firsts), static_cast<std::int64_t>(std::floor(first)),
                       static_cast<std::int64_t>(std::ceil(last)) + 1);
  }
};

Stretches flat_stretches(const SignalQuality& quality, std::int64_t samples) {
  Stretches flat;
  for (const auto& stretch : poor_stretches(quality, samples))
    if (stretch.kind == Quality::flat) {
      flat.firsts.push_back(stretch.first);
      flat.lasts.push_back(stretch.last - 1);
    }
  return flat;
}

// The signal below low_hz, at the centres of blocks of `width` samples.
template <class Context>
Buffer<float, Context> baseline_of(Context& context, std::span<const float> signal, std::int64_t width, double low_hz,
                                   double rate) {
  Buffer<float, Context> means(context, (std::ssize(signal) + width - 1) / width);
  block_means(context, signal, width, means);
  const auto taps = gaussian(high_pass_sigma_s(low_hz), rate / static_cast<double>(width));
  return convolve<float>(context, means.span(), taps,
                         {.lead = static_cast<int>(taps.size() / 2), .beyond = Beyond::last_value});
}

// Makes rows of some R peaks.
template <class Context>
class RowMaker {
 public:
  RowMaker(Context& context, std::span<const float> signal, const RowOptions& options, double rate)
      : context_(context),
        signal_(signal),
        points_(options.points),
        width_(std::max<std::int64_t>(std::llround(kBaselineBlock_s * rate), 1)),
        places_{options.before_s * rate,
                (options.before_s + options.after_s) * rate / static_cast<double>(options.points - 1)},
        filter_(row_filter(std::max(low_pass_sigma_s(options.high_hz) * rate, kSharpest))),
        baseline_(baseline_of(context, signal, width_, options.low_hz, rate)) {}

  // factor (beat - its mean) - offset; no offset where that is empty.
  Buffer<float, Context> operator()(const std::vector<double>& r_peaks, double factor,
                                    const std::vector<float>& offset) {
    Buffer<float, Context> rows(context_, std::ssize(r_peaks) * points_);
    const auto centres = from_host(context_, r_peaks);
    const auto device_offset = from_host(context_, offset);
    centred_rows(context_, signal_, baseline_, width_, centres, places_, filter_, static_cast<float>(factor),
                 device_offset, points_, rows);
    return rows;
  }

 private:
  static constexpr double kSharpest = 0.4;  // samples: a narrower Gaussian would not blend two neighbours
  Context& context_;
  std::span<const float> signal_;
  std::int64_t points_, width_;
  RowPlaces places_;
  RowFilter filter_;
  Buffer<float, Context> baseline_;
};

std::vector<float> median_row(const std::vector<float>& rows, std::int64_t points) {
  const auto count = std::ssize(rows) / points;
  std::vector<float> median(points);
  parallel_for(Cpu(), points, 16, [&](std::int64_t first, std::int64_t last) {
    std::vector<double> column(count);
    for (std::int64_t j = first; j < last; ++j) {
      for (std::int64_t i = 0; i < count; ++i) column[i] = rows[i * points + j];
      median[j] = static_cast<float>(quantile(column, 0.5));
    }
  });
  return median;
}

// Less their mean; returns their standard deviation.
double remove_mean(std::vector<float>& values) {
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (float& value : values) {
    value = static_cast<float>(value - mean);
    squares += static_cast<double>(value) * value;
  }
  return std::sqrt(squares / static_cast<double>(values.size()));
}

// Root mean square of residuals [R][D], of all rows but the farthest.
double spread_of(const std::vector<float>& residuals, std::int64_t points) {
  std::vector<double> squares(residuals.size() / points);
  for (std::size_t i = 0; i < residuals.size(); ++i)
    squares[i / points] += static_cast<double>(residuals[i]) * residuals[i] / static_cast<double>(points);
  const auto usual = std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(kUsualShare * squares.size()), 1);
  std::ranges::sort(squares);
  const double mean = std::accumulate(squares.begin(), squares.begin() + usual, 0.0) / static_cast<double>(usual);
  return std::max(std::sqrt(mean), kLeastSpread);
}

std::vector<std::int32_t> indices_of(const std::vector<std::uint8_t>& flags) {
  std::vector<std::int32_t> indices;
  indices.reserve(flags.size());
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i]) indices.push_back(static_cast<std::int32_t>(i));
  return indices;
}

template <class T, class Index>
std::vector<T> picked(const std::vector<T>& values, const std::vector<Index>& indices) {
  std::vector<T> chosen;
  chosen.reserve(indices.size());
  for (const auto i : indices) chosen.push_back(values[i]);
  return chosen;
}

// Rows are divided by it in float32, and their squares added up.
void check_amplitude(double amplitude) {
  constexpr double kLeast = 1e-30, kMost = 1e30;
  if (amplitude == 0) throw Error(Status::unanalysable, "flat: the median beat has no shape");
  if (!(amplitude >= kLeast && amplitude <= kMost))
    throw Error(Status::unanalysable, "amplitudes out of range: the median beat's is " + std::to_string(amplitude) +
                                          ", and 1e-30 to 1e30 can be worked with; give the signal in another unit");
}

std::vector<std::int32_t> evenly_spread(const std::vector<std::int32_t>& indices, std::size_t most) {
  std::vector<std::int32_t> chosen;
  const std::size_t count = std::min(indices.size(), most);
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(indices[i * indices.size() / count]);
  return chosen;
}

[[noreturn]] void throw_too_few(const BeatList& beats) {
  const auto in = [&](Quality kind) { return std::to_string(std::ranges::count(beats.quality, kind)); };
  const std::size_t found = beats.quality.size();
  throw Error(
      Status::unanalysable,
      "no beats: two in good signal are needed; " +
          (found == 0 ? "none was found" : std::to_string(found) + " were found") +
          (found == 0 ? std::string()
                      : ", " + in(Quality::good) + " of them in good signal, " + in(Quality::noisy) + " in noise, " +
                            in(Quality::clipped) + " in clipped and " + in(Quality::flat) + " in flat signal, " +
                            std::to_string(std::ranges::count(beats.fates, Fate::in_gap)) + " at gaps") +
          " (is the sampling rate right, and the column an ECG?)");
}

// The median beat is over all trusted beats: in atrial fibrillation regular ones are few, and no sample of the others.
template <class Context>
ReferenceBeats reference_beats(Context& context, RowMaker<Context>& make_rows, const std::vector<double>& r_peaks,
                               const std::vector<std::int32_t>& trusted, const std::vector<std::int32_t>& regular,
                               const RowOptions& options) {
  ReferenceBeats reference{.rows = evenly_spread(regular, options.reference_beats)};
  const auto some = picked(r_peaks, evenly_spread(trusted, options.reference_beats));
  reference.median = median_row(to_host(context, make_rows(some, 1, {})), options.points);
  reference.amplitude = remove_mean(reference.median);
  check_amplitude(reference.amplitude);
  const double factor = 1 / reference.amplitude;
  for (float& value : reference.median) value *= static_cast<float>(factor);
  reference.values = to_host(context, make_rows(picked(r_peaks, reference.rows), factor, reference.median));
  reference.spread = spread_of(reference.values, options.points);
  for (float& value : reference.values) value /= static_cast<float>(reference.spread);
  return reference;
}

// Plain distances from the median beat, and from them which rows are usual.
template <class Context>
void find_usual_rows(Context& context, CentredBeats<Context>& result) {
  const auto& reference = result.reference;
  Buffer<float, Context> distances(context, result.rows.count);
  scaled_distances(context, result.rows.values, from_host(context, reference.median),
                   static_cast<float>(reference.spread), {1, 1}, distances);
  result.from_median = to_host(context, distances);
  auto regular = sample_of(result.from_median, result.regular);
  const bool few = static_cast<double>(regular.size()) * (1 - kUsualShare) < 1;  // then nobody is left out
  const double farthest = few ? std::ranges::max(regular) : quantile(regular, kUsualShare);
  for (const auto row : indices_of(result.regular))
    if (result.from_median[row] <= farthest) result.rows.trainable.push_back(row);
}

}  // namespace

template <class Context>
BeatList list_beats(Context& context, const Recording<Context>& recording, Detection<Context>& detection,
                    const RowOptions& options, double rate) {
  BeatList beats{.r_peaks = to_host(context, detection.r_peaks)};
  const auto count = std::ssize(beats.r_peaks);
  beats.quality.resize(count);
  beats.fates.resize(count);
  beats.trusted.resize(count);
  beats.broken.resize(std::max<std::int64_t>(count - 1, 0));
  const Stretches gaps{to_host(context, recording.gap_firsts), to_host(context, recording.gap_lasts)};
  mark_missing(detection.quality, gaps.firsts, gaps.lasts);
  const Stretches flat = flat_stretches(detection.quality, recording.samples.size());
  parallel_for(Cpu(), count, 16384, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const double peak = beats.r_peaks[i];
      const bool in_gap = gaps.touch(peak - options.before_s * rate, peak + options.after_s * rate);
      beats.fates[i] = in_gap ? Fate::in_gap : Fate::kept;
      beats.quality[i] = detection.quality.at(peak);
      beats.trusted[i] = !in_gap && beats.quality[i] == Quality::good;
      if (i + 1 == count) continue;
      const double next = beats.r_peaks[i + 1];
      beats.broken[i] = gaps.touch(peak, next) || flat.touch(peak, next);
    }
  });
  return beats;
}

template <class Context>
CentredBeats<Context> embed_r_peaks(Context& context, const Recording<Context>& recording, const BeatList& beats,
                                    const Rhythm& rhythm, const RowOptions& options, double rate) {
  std::vector<std::int64_t> kept;
  kept.reserve(beats.fates.size());
  for (std::size_t i = 0; i < beats.fates.size(); ++i)
    if (beats.fates[i] == Fate::kept) kept.push_back(static_cast<std::int64_t>(i));
  CentredBeats<Context> result{.trusted = picked(beats.trusted, kept), .regular = picked(rhythm.regular, kept)};
  const auto regular = indices_of(result.regular);
  if (regular.size() < 2) throw_too_few(beats);
  RowMaker<Context> make_rows(context, recording.samples, options, rate);
  const auto r_peaks = picked(beats.r_peaks, kept);
  result.reference = reference_beats(context, make_rows, r_peaks, indices_of(result.trusted), regular, options);
  auto offset = result.reference.median;
  for (float& value : offset) value /= static_cast<float>(result.reference.spread);
  result.rows.values = make_rows(r_peaks, 1 / (result.reference.amplitude * result.reference.spread), offset);
  result.rows.kept = from_host(context, kept);
  result.rows.count = std::ssize(kept);
  result.rows.points = options.points;
  find_usual_rows(context, result);
  return result;
}

template BeatList list_beats(Cpu&, const Recording<Cpu>&, Detection<Cpu>&, const RowOptions&, double);
template CentredBeats<Cpu> embed_r_peaks(Cpu&, const Recording<Cpu>&, const BeatList&, const Rhythm&, const RowOptions&,
                                         double);
#ifdef BEATSCAN_WITH_CUDA
template BeatList list_beats(Cuda&, const Recording<Cuda>&, Detection<Cuda>&, const RowOptions&, double);
template CentredBeats<Cuda> embed_r_peaks(Cuda&, const Recording<Cuda>&, const BeatList&, const Rhythm&,
                                          const RowOptions&, double);
#endif

}  // namespace beatscan
