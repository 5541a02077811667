#include "stages/findings/bursts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/runtime/parallel.h"
#include "stages/recording/recording.h"
#include "stages/recording/windows.h"

namespace beatscan {
namespace {

constexpr double kBurstNear_s = 0.070, kBurstStep_s = 0.008;
constexpr double kLineBeside_s = 0.4;  // from the R peak to the end of the line beside it
constexpr double kLeastWay = 3.6, kLeastRagged = 1.9, kLeastOverLine = 2, kLoneOverLine = 10;

// Lengths in samples.
struct BurstLengths {
  std::int64_t near, step, beside;
  std::int64_t burst() const { return 2 * near + 1; }
};

BurstLengths burst_lengths(double rate_hz) {
  return {static_cast<std::int64_t>(kBurstNear_s * rate_hz),
          std::max<std::int64_t>(std::llround(kBurstStep_s * rate_hz), 1), std::llround(kLineBeside_s * rate_hz)};
}

// Sums of squares of slopes x(t + w) - x(t), and of the bends x(t + 2 w) - 2 x(t + w) + x(t).
struct SlopesAndBends {
  double slopes = 0, bends = 0;
};

SlopesAndBends slopes_and_bends(std::span<const float> x, std::int64_t step) {
  SlopesAndBends sums;
  for (std::int64_t i = 0; i + 2 * step < std::ssize(x); ++i) {
    const double slope = double{x[i + step]} - x[i], next = double{x[i + 2 * step]} - x[i + step];
    sums.slopes += slope * slope;
    sums.bends += (next - slope) * (next - slope);
  }
  return sums;
}

enum class Heard { nothing, burst, other };

Heard heard_in(std::span<const float> x, std::int64_t step) {
  const auto [least, most] = std::ranges::minmax(x);
  const double range = double{most} - least;
  if (range == 0) return Heard::nothing;
  double way = 0;
  for (std::size_t i = 1; i < x.size(); ++i) way += std::abs(double{x[i]} - x[i - 1]);
  const auto [slopes, bends] = slopes_and_bends(x, step);
  return way >= kLeastWay * range && bends >= kLeastRagged * slopes && slopes > 0 ? Heard::burst : Heard::other;
}

// Calls look(i, window, samples) for beat i of a list in each lead, side by side. The window reaches from `reach`
// samples before the R peak to as many after it; `samples` is the length of the lead.
template <class Context, class Look>
void each_window(Context& context, const Recording<Context>& recording, std::span<const std::int64_t> leads,
                 std::span<const double> r_peaks, const std::vector<std::int64_t>& beats, std::int64_t reach,
                 const Look& look) {
  const std::int64_t count = std::ssize(beats), at_a_time = windows_at_a_time(2 * reach + 1);
  for (const std::int64_t l : leads)
    for (std::int64_t first = 0; first < count; first += at_a_time) {
      const auto samples = recording.leads[l].samples.span();
      const std::int64_t some = std::min(at_a_time, count - first);
      const auto windows =
          windows_around(context, samples, r_peaks, std::span(beats).subspan(first, some), reach, reach);
      parallel_for(Cpu(), some, kWindowsAThread, [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) look(first + i, windows.at(i), std::ssize(samples));
      });
    }
}

// Tells which beats look like bursts, whatever the line beside them looks like.
template <class Context>
std::vector<std::uint8_t> look_ragged(Context& context, const Recording<Context>& recording,
                                      std::span<const std::int64_t> leads, std::span<const double> r_peaks,
                                      const std::vector<std::int64_t>& beats, const BurstLengths& lengths) {
  std::vector<std::uint8_t> bursts(beats.size(), 0), others(beats.size(), 0);
  each_window(context, recording, leads, r_peaks, beats, lengths.near,
              [&](std::int64_t i, std::span<const float> window, std::int64_t) {
                const Heard heard = heard_in(window, lengths.step);
                bursts[i] |= heard == Heard::burst;
                others[i] |= heard == Heard::other;
              });
  for (std::size_t i = 0; i < beats.size(); ++i)
    if (others[i]) bursts[i] = 0;
  return bursts;
}

// Says whether the middle of a window bends more than the calmest piece of the line does, on one side of it or on both.
// A piece that begins before sample `first`, or ends after `last`, lies outside the recording.
bool stands_out(std::span<const float> window, std::int64_t first, std::int64_t last, const BurstLengths& lengths,
                BurstRule rule) {
  const std::int64_t piece = lengths.burst(), middle = lengths.beside - lengths.near;
  const auto bends = [&](std::int64_t at) { return slopes_and_bends(window.subspan(at, piece), lengths.step).bends; };
  double before = std::numeric_limits<double>::infinity(), after = before;
  for (std::int64_t at = 0; at + piece <= std::ssize(window); at += std::max<std::int64_t>(lengths.near, 1)) {
    if (at < first || at + piece > last) continue;
    if (at + piece <= middle) before = std::min(before, bends(at));
    if (at >= middle + piece) after = std::min(after, bends(at));
  }
  return rule == BurstRule::told ? bends(middle) >= kLeastOverLine * std::min(before, after)
                                 : bends(middle) >= kLoneOverLine * std::max(before, after);
}

// Tells which beats stand out of the line beside them, in one lead at least.
template <class Context>
std::vector<std::uint8_t> stand_out(Context& context, const Recording<Context>& recording,
                                    std::span<const std::int64_t> leads, std::span<const double> r_peaks,
                                    const std::vector<std::int64_t>& beats, const BurstLengths& lengths,
                                    BurstRule rule) {
  std::vector<std::uint8_t> out(beats.size(), 0);
  each_window(context, recording, leads, r_peaks, beats, lengths.beside,
              [&](std::int64_t i, std::span<const float> window, std::int64_t samples) {
                const std::int64_t start = std::llround(r_peaks[beats[i]]) - lengths.beside;
                out[i] |= stands_out(window, -start, samples - start, lengths, rule);
              });
  return out;
}

}  // namespace

template <class Context>
std::vector<std::uint8_t> are_bursts(Context& context, const Recording<Context>& recording,
                                     std::span<const std::int64_t> leads, std::span<const double> r_peaks,
                                     const std::vector<std::int64_t>& asked, double sample_rate_hz, BurstRule rule) {
  const auto lengths = burst_lengths(sample_rate_hz);
  auto bursts = look_ragged(context, recording, leads, r_peaks, asked, lengths);
  std::vector<std::int64_t> ragged;
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (bursts[i]) ragged.push_back(asked[i]);
  const auto out = stand_out(context, recording, leads, r_peaks, ragged, lengths, rule);
  std::size_t next = 0;
  for (std::uint8_t& burst : bursts)
    if (burst) burst = out[next++];
  return bursts;
}

#define BEATSCAN_ARE_BURSTS(Context)                                                                                \
  template std::vector<std::uint8_t> are_bursts(Context&, const Recording<Context>&, std::span<const std::int64_t>, \
                                                std::span<const double>, const std::vector<std::int64_t>&, double,  \
                                                BurstRule);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_ARE_BURSTS)

}  // namespace beatscan
