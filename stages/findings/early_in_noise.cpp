#include "stages/findings/early_in_noise.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/error.h"
#include "stages/common/robust.h"
#include "stages/findings/finding_options.h"

namespace beatscan {
namespace {

// Tells whether four fifths of the intervals of a run are near their median. Unknown ones are left out.
bool is_even(std::span<const double> rr, double even) {
  std::vector<double> known;
  std::ranges::copy_if(rr, std::back_inserter(known), [](double value) { return !std::isnan(value); });
  if (known.empty()) return false;
  const double median = upper_median(known);
  const auto near =
      std::ranges::count_if(known, [&](double value) { return std::abs(value - median) <= even * median; });
  return 5 * near >= 4 * std::ssize(known);
}

}  // namespace

std::vector<std::uint8_t> early_by_noise(std::span<const double> rr, const std::vector<std::uint8_t>& poor,
                                         const std::vector<std::uint8_t>& early, const EarlyOptions& options) {
  BEATSCAN_EXPECTS(rr.size() == early.size() && poor.size() == early.size(), "early_by_noise: bad shape");
  std::vector<std::uint8_t> by_noise(early.size());
  for (auto first = early.begin(); first != early.end();) {
    first = std::find(first, early.end(), 1);
    const auto end = std::find(first, early.end(), 0);
    const auto from = first - early.begin(), beats = end - first;
    first = end;
    const auto in_poor = std::count(poor.begin() + from, poor.begin() + from + beats, 1);
    if (2 * in_poor <= beats) continue;
    if (beats >= options.noise_run && is_even(rr.subspan(from, beats), options.noise_even)) continue;
    std::copy_n(poor.begin() + from, beats, by_noise.begin() + from);
  }
  return by_noise;
}

}  // namespace beatscan
