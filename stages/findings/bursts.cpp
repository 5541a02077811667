#include "stages/findings/bursts.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "kernels/runtime/parallel.h"
#include "stages/recording/windows.h"

namespace beatscan {
namespace {

constexpr double kBurstNear_s = 0.070, kBurstStep_s = 0.008;
constexpr double kLeastWay = 3.6, kLeastRagged = 1.9;
constexpr std::int64_t kBesideBurst = 4;  // usual beats on either side of a burst that are looked at

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

// Tells which beats look like bursts, whatever the beats beside them look like.
template <class Context>
std::vector<std::uint8_t> look_ragged(Context& context, const Recording<Context>& recording,
                                      std::span<const std::int64_t> leads, std::span<const double> r_peaks,
                                      const std::vector<std::int64_t>& beats, double rate_hz) {
  const std::int64_t count = std::ssize(beats);
  const auto near = static_cast<std::int64_t>(kBurstNear_s * rate_hz);
  const auto step = std::max<std::int64_t>(std::llround(kBurstStep_s * rate_hz), 1);
  const std::int64_t at_a_time = windows_at_a_time(2 * near + 1);
  std::vector<std::uint8_t> bursts(count, 0), others(count, 0);
  for (const std::int64_t l : leads)
    for (std::int64_t first = 0; first < count; first += at_a_time) {
      const std::int64_t some = std::min(at_a_time, count - first);
      const auto windows = windows_around(context, recording.leads[l].samples.span(), r_peaks,
                                          std::span(beats).subspan(first, some), near, near);
      parallel_for(Cpu(), some, kWindowsAThread, [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) {
          const Heard heard = heard_in(windows.at(i), step);
          bursts[first + i] |= heard == Heard::burst;
          others[first + i] |= heard == Heard::other;
        }
      });
    }
  for (std::int64_t i = 0; i < count; ++i)
    if (others[i]) bursts[i] = 0;
  return bursts;
}

// Returns the usual beats on either side of a beat, kBesideBurst of them at most on each.
std::span<const std::int64_t> beside(std::span<const std::int64_t> usual, std::int64_t beat) {
  const auto at = std::ranges::lower_bound(usual, beat) - usual.begin();
  const auto first = std::max<std::int64_t>(at - kBesideBurst, 0),
             last = std::min<std::int64_t>(at + kBesideBurst, std::ssize(usual));
  return usual.subspan(first, last - first);
}

}  // namespace

template <class Context>
std::vector<std::uint8_t> are_bursts(Context& context, const Recording<Context>& recording,
                                     std::span<const std::int64_t> leads, std::span<const double> r_peaks,
                                     const std::vector<std::int64_t>& usual, const std::vector<std::int64_t>& asked,
                                     double sample_rate_hz) {
  auto bursts = look_ragged(context, recording, leads, r_peaks, asked, sample_rate_hz);
  std::vector<std::int64_t> near;
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (bursts[i]) std::ranges::copy(beside(usual, asked[i]), std::back_inserter(near));
  std::ranges::sort(near);
  near.erase(std::unique(near.begin(), near.end()), near.end());
  const auto ragged = look_ragged(context, recording, leads, r_peaks, near, sample_rate_hz);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (!bursts[i]) continue;
    std::int64_t others = 0, alike = 0;
    for (const std::int64_t beat : beside(usual, asked[i])) {
      if (beat == asked[i]) continue;
      ++others;
      alike += ragged[std::ranges::lower_bound(near, beat) - near.begin()];
    }
    if (alike > 0 && 2 * alike >= others) bursts[i] = 0;
  }
  return bursts;
}

#define BEATSCAN_ARE_BURSTS(Context)                                                                                \
  template std::vector<std::uint8_t> are_bursts(Context&, const Recording<Context>&, std::span<const std::int64_t>, \
                                                std::span<const double>, const std::vector<std::int64_t>&,          \
                                                const std::vector<std::int64_t>&, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_ARE_BURSTS)

}  // namespace beatscan
