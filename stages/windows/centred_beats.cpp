#include "stages/windows/centred_beats.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>

#include "kernels/detect/local_band.h"
#include "kernels/detect/noise.h"
#include "kernels/lists/bits.h"
#include "kernels/lists/gather.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/convolve.h"
#include "kernels/windows/centred_rows.h"
#include "kernels/windows/distances.h"
#include "kernels/windows/mean_row.h"
#include "stages/common/number_text.h"
#include "stages/common/robust.h"
#include "stages/windows/row_options.h"

namespace beatscan {

namespace {

constexpr double kUsualShare = 0.95;        // share of the regular beats that are dominant
constexpr double kLeastSpread = 1e-3;       // in amplitudes, so that beats that are all equal are not divided by 0
constexpr double kBaselineBlock_s = 0.040;  // the baseline is slow, so means over blocks of this length will do

// Return the sigma in time of a Gaussian. The first Gaussian is a low-pass with -3 dB at `hz`. With the second, the
// signal minus its low-pass is a high-pass with -3 dB at `hz`.
double low_pass_sigma_s(double hz) { return std::sqrt(std::numbers::ln2) / (2 * std::numbers::pi * hz); }
double high_pass_sigma_s(double hz) {
  return std::sqrt(-0.5 * std::log(1 - std::numbers::sqrt2 / 2)) / (std::numbers::pi * hz);
}

// Returns the signal below low_hz at the centres of blocks of `width` samples.
template <class Context>
Buffer<float, Context> baseline_of(Context& context, std::span<const float> signal, std::int64_t width, double low_hz,
                                   double rate_hz) {
  Buffer<float, Context> means(context, (std::ssize(signal) + width - 1) / width);
  block_means(context, signal, width, means);
  const auto taps = gaussian(high_pass_sigma_s(low_hz), rate_hz / static_cast<double>(width));
  return convolve(context, means.span(), taps, {.lead = static_cast<int>(taps.size() / 2)});
}

static_assert(kMostReferences <= kMostMedianRows, "the kernel must take all reference beats that can be asked for");

// Cuts rows around R peaks.
template <class Context>
class RowMaker {
 public:
  RowMaker(Context& context, std::span<const float> signal, const RowOptions& options, double rate_hz)
      : context_(context),
        signal_(signal),
        points_(options.points),
        width_(std::max<std::int64_t>(std::llround(kBaselineBlock_s * rate_hz), 1)),
        places_{options.before_s * rate_hz,
                (options.before_s + options.after_s) * rate_hz / static_cast<double>(options.points - 1)},
        filter_(row_filter(std::max(low_pass_sigma_s(options.high_hz) * rate_hz, kSharpest))),
        baseline_(baseline_of(context, signal, width_, options.low_hz, rate_hz)) {}

  // Makes rows of factor * (beat - its mean) - offset, one for each R peak. An empty offset is 0.
  void make(const Buffer<double, Context>& r_peaks, double factor, const std::vector<float>& offset,
            std::span<float> rows) {
    const auto device_offset = from_host(context_, offset);
    centred_rows(context_, signal_, baseline_, width_, r_peaks, places_, filter_, static_cast<float>(factor),
                 device_offset, points_, rows);
  }
  Buffer<float, Context> operator()(const Buffer<double, Context>& r_peaks, double factor,
                                    const std::vector<float>& offset) {
    Buffer<float, Context> rows(context_, r_peaks.size() * points_);
    make(r_peaks, factor, offset, rows);
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

// Subtracts the mean from the values; returns their standard deviation.
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

// Returns the root mean square of rows with these mean squares, without the farthest rows.
double spread_of(std::vector<double> squares) {
  const auto usual = std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(kUsualShare * squares.size()), 1);
  std::ranges::sort(squares);
  const double mean = std::accumulate(squares.begin(), squares.begin() + usual, 0.0) / static_cast<double>(usual);
  return std::max(std::sqrt(mean), kLeastSpread);
}

std::vector<float> divided(std::vector<float> values, double by) {
  for (float& value : values) value /= static_cast<float>(by);
  return values;
}

// Refuses a median beat whose amplitude float32 cannot represent: rows are divided by it and their squares added up.
void check_amplitude(double amplitude) {
  constexpr double kLeast = 1e-30, kMost = 1e30;
  if (amplitude == 0) throw Error(ErrorKind::unanalysable, "flat: the median beat has no shape");
  if (amplitude >= kLeast && amplitude <= kMost) return;
  const std::string text = std::isfinite(amplitude) ? number_text(amplitude, 3) : "more than a number can hold";
  throw Error(ErrorKind::unanalysable, "amplitudes out of range: that of the median beat is " + text +
                                           ", and it must be 1e-30 to 1e30; give the signal in another unit");
}

// Finds the median beat and its amplitude.
template <class Context>
void find_median_beat(Context& context, RowMaker<Context>& make_rows, const Buffer<double, Context>& r_peaks,
                      const Buffer<std::int64_t, Context>& beats, const RowOptions& options,
                      ReferenceBeats<Context>& reference) {
  const auto some = gathered(context, r_peaks, some_of(context, beats, options.reference_beats));
  Buffer<float, Context> median(context, options.points);
  median_row(context, make_rows(some, 1, {}), median);
  reference.median = to_host(context, median);
  reference.amplitude = remove_mean(reference.median);
  check_amplitude(reference.amplitude);
  const double factor = 1 / reference.amplitude;
  for (float& value : reference.median) value *= static_cast<float>(factor);
}

// Returns how far regular beats are from the median beat.
template <class Context>
double find_spread(Context& context, RowMaker<Context>& make_rows, const Buffer<double, Context>& r_peaks,
                   const ReferenceBeats<Context>& reference) {
  Buffer<double, Context> squares(context, reference.rows.size());
  const auto centres = gathered(context, r_peaks, reference.rows);
  mean_squares(context, make_rows(centres, 1 / reference.amplitude, reference.median), squares);
  return spread_of(to_host(context, squares));
}

// Computes the distances from the median beat, and from them which rows are dominant.
template <class Context>
void find_usual_rows(Context& context, const Buffer<std::uint8_t, Context>& regular,
                     const Buffer<std::int64_t, Context>& measured, CentredBeats<Context>& result) {
  const auto& reference = result.reference;
  result.from_median = Buffer<float, Context>(context, regular.size());
  scaled_distances(context, result.rows, from_host(context, reference.median), static_cast<float>(reference.spread),
                   {1, 1}, result.from_median);
  const auto sample = to_host(context, gathered(context, result.from_median, measured));
  std::vector<double> distances(sample.begin(), sample.end());
  const bool few = static_cast<double>(distances.size()) * (1 - kUsualShare) < 1;  // then no beat is left out
  const double farthest = few ? std::ranges::max(distances) : quantile(distances, kUsualShare);
  Buffer<std::uint8_t, Context> usual(context, regular.size());
  copy<std::uint8_t>(context, regular, usual);
  drop_far(context, result.from_median, farthest, usual);
  const auto rows = positions_of(context, usual, 1);
  result.usual = Buffer<std::int32_t, Context>(context, rows.size());
  narrow(context, rows, result.usual);
}

}  // namespace

double clearness(double spread) {
  constexpr double kHalf = 2, kLeast = 1e-9;  // the spread of a lead that counts half
  return std::max(1 / (1 + std::pow(spread / kHalf, 4)), kLeast);
}

template <class Context>
CentredBeats<Context> embed_r_peaks(Context& context, std::span<const float> signal, const BeatsOfLead<Context>& beats,
                                    const RowOptions& options, double rate_hz, std::span<float> rows) {
  const auto regular = positions_of(context, beats.regular, 1);
  BEATSCAN_EXPECTS(regular.size() >= 2 && std::ssize(rows) == beats.r_peaks.size() * options.points,
                   "embed_r_peaks: bad shape, or fewer than two regular beats");
  CentredBeats<Context> result;
  auto& reference = result.reference;
  RowMaker<Context> make_rows(context, signal, options, rate_hz);
  find_median_beat(context, make_rows, beats.r_peaks, positions_of(context, beats.for_median, 1), options, reference);
  reference.rows = some_of(context, regular, options.reference_beats);
  reference.spread = find_spread(context, make_rows, beats.r_peaks, reference);

  const double factor = 1 / (reference.amplitude * reference.spread);
  const auto offset = divided(reference.median, reference.spread);
  reference.values = make_rows(gathered(context, beats.r_peaks, reference.rows), factor, offset);
  make_rows.make(beats.r_peaks, factor, offset, rows);
  result.rows = Buffer<float, Context>::borrowed(rows);
  find_usual_rows(context, beats.regular, some_of(context, regular, kMostSampled), result);
  return result;
}

#define BEATSCAN_EMBED_R_PEAKS(Context)                                                                       \
  template CentredBeats<Context> embed_r_peaks(Context&, std::span<const float>, const BeatsOfLead<Context>&, \
                                               const RowOptions&, double, std::span<float>);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_EMBED_R_PEAKS)

namespace {

// The baseline around a beat: five means over 0.6 s, whose middles reach from 0.5 s before the R peak to 0.6 s after.
constexpr double kBaselineFirst_s = -0.5, kBaselineStep_s = 0.275, kBaselineHalf_s = 0.3, kBaselineMean_s = 0.040;
constexpr int kBaselineMeans = 5;
constexpr double kUsualRanges = 2;  // ratio of the baseline's range to the typical one from which on it counts as noise

constexpr double kHighestBand = 0.35;  // highest centre of the noise band, in sampling rates

// The least typical noise, in amplitudes of the median beat. Less noise does not visibly change a row.
constexpr double kLeastNoise = 0.003, kLeastRange = 0.01;

// Returns a filter that keeps noise. At low rates its band is lower, because half the rate is the highest frequency.
std::vector<double> noise_filter(const NoiseOptions& options, double rate_hz) {
  return band_wavelet(std::min(options.band_hz, kHighestBand * rate_hz), rate_hz);
}

// Returns the mean power between beats around each row's beat, [B].
template <class Context>
Buffer<double, Context> powers_around(Context& context, const LeadPauses<Context>& lead,
                                      const Buffer<std::int64_t, Context>& kept, const NoiseOptions& options,
                                      double rate_hz) {
  const std::int64_t count = lead.r_peaks.size();
  Buffer<double, Context> powers(context, count - 1), local(context, count);
  Buffer<std::int32_t, Context> lengths(context, count - 1);
  pause_powers(context, lead.signal, lead.r_peaks, lead.broken, noise_filter(options, rate_hz),
               {options.after_s * rate_hz, options.before_s * rate_hz}, powers, lengths);
  local_powers(context, lead.r_peaks, powers, lengths, options.reach_s * rate_hz, local);
  return gathered(context, local, kept);
}

// Returns how far the baseline moves around each row's beat, [B].
template <class Context>
Buffer<double, Context> ranges_around(Context& context, std::span<const float> signal,
                                      const Buffer<double, Context>& r_peaks, double rate_hz) {
  const auto width = std::max<std::int64_t>(std::llround(kBaselineMean_s * rate_hz), 1);
  Buffer<float, Context> means(context, (std::ssize(signal) + width - 1) / width);
  block_means(context, signal, width, means);
  Buffer<double, Context> ranges(context, r_peaks.size());
  baseline_ranges(context, means, width, r_peaks,
                  {kBaselineFirst_s * rate_hz, kBaselineStep_s * rate_hz, kBaselineMeans, kBaselineHalf_s * rate_hz},
                  ranges);
  return ranges;
}

double median_or(std::vector<double> values, double least) {
  values = finite_of(values);
  return values.empty() ? least : std::max(quantile(values, 0.5), least);
}

}  // namespace

template <class Context>
Buffer<float, Context> noise_of(Context& context, const LeadPauses<Context>& lead,
                                const Buffer<std::int64_t, Context>& kept, const NoiseScale<Context>& scale,
                                const NoiseOptions& options, double rate_hz) {
  const auto powers = powers_around(context, lead, kept, options, rate_hz);
  const auto ranges = ranges_around(context, lead.signal, gathered(context, lead.r_peaks, kept), rate_hz);
  const auto [some_powers, some_ranges] =
      to_hosts(context, gathered(context, powers, scale.measured), gathered(context, ranges, scale.measured));
  const UsualNoise usual{median_or(some_powers, std::pow(kLeastNoise * scale.amplitude, 2)),
                         kUsualRanges * median_or(some_ranges, kLeastRange * scale.amplitude)};
  Buffer<float, Context> factors(context, kept.size());
  noise_factors(context, powers, ranges, usual, static_cast<float>(options.most), factors);
  return factors;
}

#define BEATSCAN_NOISE_OF(Context)                                                                                     \
  template Buffer<float, Context> noise_of(Context&, const LeadPauses<Context>&, const Buffer<std::int64_t, Context>&, \
                                           const NoiseScale<Context>&, const NoiseOptions&, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_NOISE_OF)

}  // namespace beatscan
