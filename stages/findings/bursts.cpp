#include "stages/findings/bursts.h"

#include <algorithm>
#include <cmath>

#include "stages/recording/windows.h"

namespace beatscan {
namespace {

constexpr double kBurstNear_s = 0.070, kBurstStep_s = 0.008;
constexpr double kLeastWay = 3.6, kLeastRagged = 1.9;
constexpr std::int64_t kBurstsAtATime = 4096;  // beats whose windows are in memory

enum class Heard { nothing, burst, other };

Heard heard_in(std::span<const float> x, std::int64_t step) {
  const auto [least, most] = std::ranges::minmax(x);
  const double range = double{most} - least;
  if (range == 0) return Heard::nothing;
  double way = 0, slopes = 0, bends = 0;
  for (std::size_t i = 1; i < x.size(); ++i) way += std::abs(double{x[i]} - x[i - 1]);
  for (std::int64_t i = 0; i + 2 * step < std::ssize(x); ++i) {
    const double slope = double{x[i + step]} - x[i], next = double{x[i + 2 * step]} - x[i + step];
    slopes += slope * slope;
    bends += (next - slope) * (next - slope);
  }
  return way >= kLeastWay * range && bends >= kLeastRagged * slopes && slopes > 0 ? Heard::burst : Heard::other;
}

}  // namespace

template <class Context>
std::vector<std::uint8_t> are_bursts(Context& context, const Recording<Context>& recording,
                                     std::span<const std::int64_t> leads, std::span<const double> r_peaks,
                                     const std::vector<std::int64_t>& asked, double sample_rate_hz) {
  const std::int64_t count = std::ssize(asked);
  const auto near = static_cast<std::int64_t>(kBurstNear_s * sample_rate_hz);
  const auto step = std::max<std::int64_t>(std::llround(kBurstStep_s * sample_rate_hz), 1);
  std::vector<std::uint8_t> bursts(count, 0), others(count, 0);
  for (const std::int64_t l : leads)
    for (std::int64_t first = 0; first < count; first += kBurstsAtATime) {
      const std::int64_t some = std::min(kBurstsAtATime, count - first);
      const auto windows = windows_around(context, recording.leads[l].samples.span(), r_peaks,
                                          std::span(asked).subspan(first, some), near, near);
      for (std::int64_t i = 0; i < some; ++i) {
        const Heard heard = heard_in(windows.at(i), step);
        bursts[first + i] |= heard == Heard::burst;
        others[first + i] |= heard == Heard::other;
      }
    }
  for (std::int64_t i = 0; i < count; ++i)
    if (others[i]) bursts[i] = 0;
  return bursts;
}

#define BEATSCAN_ARE_BURSTS(Context)                                                                                \
  template std::vector<std::uint8_t> are_bursts(Context&, const Recording<Context>&, std::span<const std::int64_t>, \
                                                std::span<const double>, const std::vector<std::int64_t>&, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_ARE_BURSTS)

}  // namespace beatscan
