#include "stages/windows/noise.h"

#include <algorithm>
#include <cmath>

#include "kernels/detect/noise.h"
#include "kernels/detect/pause_powers.h"
#include "kernels/lists/gather.h"
#include "kernels/signal/wavelets.h"
#include "kernels/windows/centred_rows.h"
#include "stages/common/robust.h"
#include "stages/windows/row_options.h"

namespace beatscan {
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
