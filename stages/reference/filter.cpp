#include "stages/reference/filter.h"

#include <algorithm>
#include <string>

#include "kernels/runtime/error.h"
#include "kernels/signal/convolve_circular.h"
#include "kernels/signal/wavelets.h"
#include "stages/common/counted.h"
#include "stages/reference/published_options.h"

namespace beatscan {

template <class Real, class Context>
Buffer<Real, Context> ricker_response(Context& context, std::span<const float> signal, const FilterOptions& options,
                                      std::optional<double> sample_rate_hz) {
  auto width = std::max<std::int64_t>(whole_samples(options.width, sample_rate_hz), 1);
  if (options.centred) width |= 1;  // only a wavelet of odd length has a sample at its centre
  if (width > kMaxTaps)
    fail(ErrorKind::usage, "filter.width",
         std::to_string(width) + " samples are more than the " + std::to_string(kMaxTaps) + " supported");
  if (std::ssize(signal) < width)
    throw Error(ErrorKind::unanalysable, "too short: " + counted(std::ssize(signal), "sample") +
                                             ", and the wavelet alone has " + std::to_string(width));
  const auto wavelet = ricker_wavelet(static_cast<int>(width));
  return convolve_circular<Real>(context, signal, wavelet, options.centred ? static_cast<int>(width / 2) : 0);
}

#define BEATSCAN_RICKER_RESPONSE(Context)                                                                  \
  template Buffer<float, Context> ricker_response(Context&, std::span<const float>, const FilterOptions&,  \
                                                  std::optional<double>);                                  \
  template Buffer<double, Context> ricker_response(Context&, std::span<const float>, const FilterOptions&, \
                                                   std::optional<double>);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_RICKER_RESPONSE)

}  // namespace beatscan
