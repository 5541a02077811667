#include "stages/findings/repeats.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "stages/recording/windows.h"

namespace beatscan {
namespace {

constexpr double kLookBefore_s = 2, kLookAfter_s = 1;  // of the R peak
constexpr double kShortestRepeat_s = 0.25;
constexpr double kSoonestRepeat_s = 0.08, kLatestRepeat_s = 1.2;  // after the original
constexpr std::int64_t kFewestSame = 8;                           // samples
constexpr std::size_t kFewestValues = 8;                          // different ones, in a repetition

struct Repeat {
  std::int64_t at, lag;  // where it begins in the window; samples since the original
};

// Returns the first repetition in a window. One of `shortest` samples holds a whole part of half as many samples that
// begins at a multiple of that.
std::optional<Repeat> repeat_in(std::span<const float> x, std::int64_t shortest, std::int64_t soonest,
                                std::int64_t latest) {
  const std::int64_t part = std::max<std::int64_t>(shortest / 2, 1), count = std::ssize(x);
  for (std::int64_t first = 0; first + part <= count; first += part)
    for (std::int64_t lag = soonest; lag <= std::min(latest, first); ++lag) {
      if (!std::equal(x.begin() + first, x.begin() + first + part, x.begin() + first - lag)) continue;
      std::int64_t begin = first, end = first + part;
      while (begin > lag && x[begin - 1] == x[begin - 1 - lag]) --begin;
      while (end < count && x[end] == x[end - lag]) ++end;
      const std::set<float> values(x.begin() + begin, x.begin() + end);
      if (end - begin >= shortest && values.size() >= kFewestValues) return Repeat{begin, lag};
    }
  return {};
}

std::vector<std::int64_t> evenly(std::span<const std::int64_t> beats, std::int64_t most) {
  std::vector<std::int64_t> some;
  const std::int64_t count = std::min(std::ssize(beats), most);
  for (std::int64_t i = 0; i < count; ++i) some.push_back(beats[i * std::ssize(beats) / count]);
  return some;
}

// Looks at beats, without regard to the others.
template <class Context>
Repeats repeats_at(Context& context, std::span<const float> samples, std::span<const double> r_peaks,
                   const std::vector<std::int64_t>& beats, double rate_hz) {
  const auto in_samples = [=](double time_s) { return std::llround(time_s * rate_hz); };
  const std::int64_t before = in_samples(kLookBefore_s), after = in_samples(kLookAfter_s);
  std::vector<std::int64_t> starts;
  for (const std::int64_t i : beats) starts.push_back(std::max<std::int64_t>(std::llround(r_peaks[i]) - before, 0));
  const auto windows = windows_of(context, samples, starts, before + after + 1);
  Repeats repeats{.asked = std::ssize(beats)};
  for (std::int64_t k = 0; k < std::ssize(beats); ++k) {
    const auto its = repeat_in(windows.at(k), std::max<std::int64_t>(in_samples(kShortestRepeat_s), kFewestSame),
                               std::max<std::int64_t>(in_samples(kSoonestRepeat_s), 1), in_samples(kLatestRepeat_s));
    if (!its) continue;
    if (repeats.beats++ == 0) repeats.first = starts[k] + its->at, repeats.first_lag = its->lag;
  }
  return repeats;
}

}  // namespace

template <class Context>
Repeats repeats_beside(Context& context, const RecordedLead<Context>& lead, std::span<const double> r_peaks,
                       std::span<const std::int64_t> asked, std::span<const std::int64_t> others,
                       double sample_rate_hz) {
  const auto samples = lead.samples.span();
  const auto found = repeats_at(context, samples, r_peaks, evenly(asked, kMostRepeatBeats), sample_rate_hz);
  if (found.beats == 0) return {};
  const auto usual = repeats_at(context, samples, r_peaks, evenly(others, kMostOtherBeats), sample_rate_hz);
  return 2 * usual.beats >= usual.asked && usual.asked > 0 ? Repeats{} : found;
}

#define BEATSCAN_REPEATS_BESIDE(Context)                                                           \
  template Repeats repeats_beside(Context&, const RecordedLead<Context>&, std::span<const double>, \
                                  std::span<const std::int64_t>, std::span<const std::int64_t>, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_REPEATS_BESIDE)

}  // namespace beatscan
