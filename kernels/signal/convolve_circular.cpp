#include "kernels/signal/convolve_circular.h"

#include <algorithm>

#include "kernels/runtime/error.h"
#include "kernels/signal/convolve.h"

namespace beatscan {

void check_circular(std::span<const float> signal, std::span<const double> taps, int lead) {
  const auto width = std::ssize(taps);
  BEATSCAN_EXPECTS(width >= 1 && width <= kMaxTaps, "convolve_circular: bad number of taps");
  BEATSCAN_EXPECTS(std::ssize(signal) >= width, "convolve_circular: fewer samples than taps");
  BEATSCAN_EXPECTS(0 <= lead && lead < width, "convolve_circular: bad lead");
}

template <class Real>
Buffer<Real, Cpu> convolve_circular(Cpu& cpu, std::span<const float> signal, std::span<const double> taps, int lead) {
  check_circular(signal, taps, lead);
  const auto n = std::ssize(signal);
  const auto at = [&](std::int64_t i) { return signal[static_cast<std::size_t>((i + n) % n)]; };
  Buffer<Real, Cpu> response(cpu, n);
  direct_tiles(cpu, whole(signal), taps, lead, {0, n}, at, [&](std::int64_t first, std::span<const double> sums) {
    std::ranges::transform(sums, response.data() + first, [](double sum) { return static_cast<Real>(sum); });
  });
  return response;
}

template Buffer<float, Cpu> convolve_circular(Cpu&, std::span<const float>, std::span<const double>, int);
template Buffer<double, Cpu> convolve_circular(Cpu&, std::span<const float>, std::span<const double>, int);

}  // namespace beatscan
