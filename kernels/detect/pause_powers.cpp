#include "kernels/detect/pause_powers.h"

#include "kernels/detect/pause_powers_common.h"
#include "kernels/runtime/parallel.h"
#include "kernels/signal/direct_sums.h"

namespace beatscan {

void pause_powers(Cpu& cpu, std::span<const float> signal, std::span<const double> r_peaks,
                  std::span<const std::uint8_t> broken, const std::vector<double>& taps, Pause pause,
                  std::span<double> powers, std::span<std::int32_t> lengths) {
  const Pauses pauses = checked_pauses(signal, r_peaks, broken, taps, pause, powers, lengths);
  parallel_for(cpu, std::ssize(powers), 64, [&](std::int64_t first_pause, std::int64_t last_pause) {
    std::vector<double> filtered;
    for (std::int64_t i = first_pause; i < last_pause; ++i) {
      const auto [first, last] = pauses.of(i);
      filtered.resize(static_cast<std::size_t>(last - first));
      if (first < last)
        direct_sums(signal.data() + first + pauses.half, taps.data(), std::ssize(taps), filtered.data(), last - first);
      powers[i] = 0;
      for (const double value : filtered) powers[i] += value * value;
      lengths[i] = static_cast<std::int32_t>(last - first);
    }
  });
}

}  // namespace beatscan
