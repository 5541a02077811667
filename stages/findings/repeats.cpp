#include "stages/findings/repeats.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "kernels/lists/gather.h"
#include "kernels/runtime/parallel.h"
#include "stages/recording/recording.h"
#include "stages/recording/windows.h"

namespace beatscan {
namespace {

constexpr double kLookBefore_s = 2, kLookAfter_s = 1;  // of the R peak
constexpr double kShortestRepeat_s = 0.25;
constexpr double kSoonestRepeat_s = 0.08, kLatestRepeat_s = 1.2;  // after the original
constexpr double kBesideCopy_s = 0.15;                            // of the R peak, where the beat itself is a copy
constexpr std::int64_t kFewestSame = 8;                           // samples
constexpr std::size_t kFewestValues = 8;                          // different ones, in a repetition

// Lengths in samples.
struct RepeatLengths {
  std::int64_t before, after, shortest, soonest, latest;
};

RepeatLengths repeat_lengths(double rate_hz, double before_s, double after_s) {
  const auto samples = [=](double time_s, std::int64_t least) {
    return std::max<std::int64_t>(std::llround(time_s * rate_hz), least);
  };
  return {samples(before_s, 0), samples(after_s, 0), samples(kShortestRepeat_s, kFewestSame),
          samples(kSoonestRepeat_s, 1), samples(kLatestRepeat_s, 1)};
}

// Samples from `begin` to before `end` of a window that are those `lag` samples before.
struct Repeat {
  std::int64_t begin, end, lag;
};

bool has_many_values(std::span<const float> x) {
  std::set<float> values;
  for (const float value : x)
    if (values.insert(value).second && values.size() == kFewestValues) return true;
  return false;
}

// Returns the first lag from `lag` to `latest` at which the first and the last sample of the part of `count` samples at
// `first` equal those `lag` samples before; more than `latest` where there is none. At most lags they differ, so the
// compiler may compare several at once.
std::int64_t next_lag(std::span<const float> x, std::int64_t first, std::int64_t count, std::int64_t lag,
                      std::int64_t latest) {
  constexpr std::int64_t kAtOnce = 32;
  const float head = x[first], tail = x[first + count - 1];
  const float* const heads = x.data() + first;
  const float* const tails = heads + count - 1;
  for (; lag + kAtOnce <= latest + 1; lag += kAtOnce) {
    const float* const some_heads = heads - lag - kAtOnce + 1;
    const float* const some_tails = tails - lag - kAtOnce + 1;
    int any = 0;
    for (std::int64_t i = 0; i < kAtOnce; ++i) any |= (some_heads[i] == head) & (some_tails[i] == tail);
    if (any) break;
  }
  while (lag <= latest && !(heads[-lag] == head && tails[-lag] == tail)) ++lag;
  return lag;
}

// Returns the first repetition in a window. One of `shortest` samples holds a whole part of half as many samples that
// begins at a multiple of that. A part at rest is passed over: it is alike at every lag.
std::optional<Repeat> repeat_in(std::span<const float> x, const RepeatLengths& lengths) {
  const std::int64_t part = std::max<std::int64_t>(lengths.shortest / 2, 1), count = std::ssize(x);
  for (std::int64_t first = 0; first + part <= count; first += part) {
    const auto own = x.subspan(first, part);
    if (std::ranges::equal(own.subspan(1), own.first(part - 1))) continue;
    const std::int64_t latest = std::min(lengths.latest, first);
    for (std::int64_t lag = lengths.soonest; (lag = next_lag(x, first, part, lag, latest)) <= latest; ++lag) {
      if (!std::ranges::equal(own, x.subspan(first - lag, part))) continue;
      std::int64_t begin = first, end = first + part;
      while (begin > lag && x[begin - 1] == x[begin - 1 - lag]) --begin;
      while (end < count && x[end] == x[end - lag]) ++end;
      if (end - begin >= lengths.shortest && has_many_values(x.subspan(begin, end - begin)))
        return Repeat{begin, end, lag};
    }
  }
  return {};
}

// Looks at beats, without regard to the others. Calls found(sample before which the window begins, repetition).
template <class Context>
void each_repeat(Context& context, std::span<const float> samples, std::span<const double> r_peaks,
                 const std::vector<std::int64_t>& beats, const RepeatLengths& lengths, auto&& found) {
  std::vector<std::int64_t> starts;
  for (const std::int64_t i : beats)
    starts.push_back(std::max<std::int64_t>(std::llround(r_peaks[i]) - lengths.before, 0));
  const auto windows = windows_of(context, samples, starts, lengths.before + lengths.after + 1);
  std::vector<std::optional<Repeat>> repeats(beats.size());
  parallel_each(Cpu(), std::ssize(beats), [&](std::int64_t k) { repeats[k] = repeat_in(windows.at(k), lengths); });
  for (std::size_t k = 0; k < beats.size(); ++k)
    if (repeats[k]) found(starts[k], std::llround(r_peaks[beats[k]]) - starts[k], *repeats[k]);
}

// Tells whether half of some usual beats are copies themselves, as in a simulator without noise.
template <class Context>
bool all_repeat(Context& context, std::span<const float> samples, std::span<const double> r_peaks,
                const std::vector<std::int64_t>& usual, double rate_hz) {
  const auto lengths = repeat_lengths(rate_hz, kLatestRepeat_s + kBesideCopy_s, kBesideCopy_s);
  std::int64_t copies = 0;
  each_repeat(context, samples, r_peaks, usual, lengths, [&](std::int64_t, std::int64_t peak, const Repeat& its) {
    copies += its.begin <= peak && peak < its.end;
  });
  return 2 * copies >= std::ssize(usual);
}

}  // namespace

template <class Context>
Repeats repeats_beside(Context& context, const RecordedLead<Context>& lead, std::span<const double> r_peaks,
                       std::span<const std::int64_t> asked, std::span<const std::int64_t> others,
                       double sample_rate_hz) {
  const auto samples = lead.samples.span();
  const auto some = some_of(asked, kMostRepeatBeats);
  Repeats repeats{.asked = std::ssize(some)};
  each_repeat(context, samples, r_peaks, some, repeat_lengths(sample_rate_hz, kLookBefore_s, kLookAfter_s),
              [&](std::int64_t start, std::int64_t, const Repeat& its) {
                if (repeats.beats++ == 0) repeats.first_sample = start + its.begin, repeats.first_lag_samples = its.lag;
              });
  if (repeats.beats == 0 || all_repeat(context, samples, r_peaks, some_of(others, kMostOtherBeats), sample_rate_hz))
    return {};
  return repeats;
}

#define BEATSCAN_REPEATS_BESIDE(Context)                                                           \
  template Repeats repeats_beside(Context&, const RecordedLead<Context>&, std::span<const double>, \
                                  std::span<const std::int64_t>, std::span<const std::int64_t>, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_REPEATS_BESIDE)

}  // namespace beatscan
