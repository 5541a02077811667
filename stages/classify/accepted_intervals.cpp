#include "stages/classify/accepted_intervals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/lists/running.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/common/robust.h"

namespace beatscan {

std::vector<double> known_rr_s(std::span<const double> r_peaks, std::span<const std::uint8_t> broken, double rate_hz) {
  std::vector<double> rr(r_peaks.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 1; i < rr.size(); ++i)
    if (!broken[i - 1]) rr[i] = r_peaks[i] - r_peaks[i - 1];
  const auto known = finite_of(rr);
  constexpr double kUnknownS = 0.8;
  const double fill = known.empty() ? kUnknownS * rate_hz : quantile(known, 0.5);
  for (double& value : rr)
    value = std::clamp((std::isfinite(value) ? value : fill) / rate_hz, kShortestRrS, kLongestRrS);
  return rr;
}

namespace {

using features::kIsExcluded;
using features::kIsPremature;
using features::kIsSteady;

constexpr int kRounds = 3;
constexpr std::int64_t kFewestAccepted = 3;
constexpr double kRunRatio = 0.85;
constexpr std::int64_t kLongRun = 60, kRunGap = 3, kRunEnd = 5;

// What the runs of premature beats are found in, on the host.
struct BeatRuns {
  std::span<const double> rr, reference;
  std::span<std::uint8_t> flags;

  std::int64_t beats() const { return std::ssize(flags); }
  bool is(std::int64_t i, std::uint8_t flag) const { return (flags[i] & flag) != 0; }
  void set_premature(std::int64_t i, bool premature) {
    flags[i] =
        static_cast<std::uint8_t>((flags[i] & ~unsigned{kIsPremature}) | (premature ? unsigned{kIsPremature} : 0U));
  }
};

void extend_runs(BeatRuns& of) {
  int run = 0;
  double limit = 0;
  for (std::int64_t i = 0; i < of.beats(); ++i) {
    if (of.is(i, kIsPremature)) {
      if (++run == 1) limit = kRunRatio * of.reference[i];
    } else if (!of.is(i, kIsExcluded)) {
      const bool goes_on = run >= 2 && of.rr[i] < limit && of.is(i, kIsSteady);
      if (goes_on) of.set_premature(i, true);
      run = goes_on ? run + 1 : 0;
    }
  }
}

double median_of(std::span<const double> values) { return quantile(values, 0.5); }

// Returns whether a run of premature beats, given by their places, is the dominant rhythm of its time.
bool is_dominant(const BeatRuns& of, std::span<const std::int64_t> run) {
  std::vector<double> own, end, behind;
  for (const std::int64_t i : run) own.push_back(of.rr[i]);
  for (const std::int64_t i : run.last(kRunEnd)) end.push_back(of.rr[i]);
  for (std::int64_t i = run.back() + 1; i < std::min(run.back() + 1 + kRunEnd, of.beats()); ++i)
    behind.push_back(of.rr[i]);
  const double median = median_of(own), before = of.reference[std::max<std::int64_t>(run.front() - 1, 0)];
  const bool ends_suddenly = behind.size() >= 3 && median_of(behind) / median_of(end) > 1.15;
  return (!ends_suddenly && median / before > 0.62) || (median > 0.6 && before > 1.2);
}

void accept_dominant_runs(BeatRuns& of) {
  std::vector<std::int64_t> run;
  const auto finish = [&] {
    if (std::ssize(run) >= kLongRun && is_dominant(of, run))
      for (const std::int64_t i : run) of.set_premature(i, false);
    run.clear();
  };
  for (std::int64_t i = 0; i < of.beats(); ++i) {
    if (!of.is(i, kIsPremature)) continue;
    if (!run.empty() && i - run.back() > kRunGap) finish();
    run.push_back(i);
  }
  finish();
}

// Finds the runs of a round on the host, because each beat depends on the one before it. Copies the flags, and returns
// whether they are those of the round before.
bool find_runs(Cpu&, std::span<const double> rr, std::span<const double> reference,
               std::span<const std::uint8_t> before, std::span<std::uint8_t> flags, std::vector<std::uint8_t>& copied) {
  BeatRuns runs{rr, reference, flags};
  extend_runs(runs);
  accept_dominant_runs(runs);
  copied.assign(flags.begin(), flags.end());
  return std::ranges::equal(before, flags);
}

#ifdef BEATSCAN_WITH_CUDA
bool find_runs(Cuda& cuda, std::span<const double> rr, const Buffer<double, Cuda>& reference,
               const Buffer<std::uint8_t, Cuda>& before, Buffer<std::uint8_t, Cuda>& flags,
               std::vector<std::uint8_t>& copied) {
  auto [reference_on_host, before_on_host, on_host] = to_hosts(cuda, reference, before, flags);
  Cpu cpu;
  const bool same = find_runs(cpu, rr, reference_on_host, before_on_host, on_host, copied);
  copy<std::uint8_t>(cuda, on_host, flags);
  return same;
}
#endif

// Returns the median interval of the recording; without excluded beats, if enough are left.
double recording_median(std::span<const double> rr, std::span<const std::uint8_t> excluded) {
  if (std::ranges::count(excluded, 1) == 0) return median_of(rr);
  std::vector<double> others;
  for (std::size_t i = 0; i < rr.size(); ++i)
    if (!excluded[i]) others.push_back(rr[i]);
  return others.size() > 4 ? median_of(others) : median_of(rr);
}

// Starts with the flags that follow from the intervals alone.
template <class Context>
void find_first_flags(Context& context, std::span<const double> rr_s, std::span<const double> on_host,
                      std::span<const std::uint8_t> excluded, AcceptedIntervals<Context>& found) {
  const std::int64_t beats = std::ssize(rr_s);
  Buffer<double, Context> near(context, beats), least(context, beats - 1);
  running_quantiles(context, std::vector<RunningQuantiles>{{.values = rr_s, .reach = 15, .quantiles = {{0.6, near}}}});
  if (beats > 1) {  // the first beat has no interval before its own
    features::least_changes(context, rr_s, near, least);
    running_quantiles(context,
                      std::vector<RunningQuantiles>{
                          {.values = least, .reach = 30, .quantiles = {{0.5, found.change.span().last(beats - 1)}}}});
  }
  Buffer<std::uint8_t, Context> mask(context, std::ssize(excluded));
  copy(context, excluded, mask.span());
  features::first_flags(context, {rr_s, near, mask, recording_median(on_host, excluded)}, found.change, found.flags);
}

}  // namespace

template <class Context>
AcceptedIntervals<Context>::AcceptedIntervals(Context& context, std::int64_t beats)
    : reference_s(context, beats),
      scatter(context, beats),
      change(context, beats),
      margin(context, beats),
      flags(context, beats) {}

template <class Context>
void find_accepted(Context& context, std::span<const double> rr_s, std::span<const double> on_host,
                   std::span<const std::uint8_t> excluded, AcceptedIntervals<Context>& found) {
  const std::int64_t beats = std::ssize(rr_s);
  BEATSCAN_EXPECTS(std::ssize(on_host) == beats && (excluded.empty() || std::ssize(excluded) == beats) &&
                       found.flags.size() == beats,
                   "find_accepted: bad shape");
  found.premature.clear();
  if (beats == 0) return;
  find_first_flags(context, rr_s, on_host, excluded, found);
  Buffer<std::uint8_t, Context> accepted(context, beats), next(context, beats);
  SelectedValues<Context> some(context, beats);
  const auto run = [&](int reach, double q, std::span<double> to) {
    running_quantiles(context,
                      std::vector<RunningQuantiles>{
                          {.values = some.values, .before = some.before, .reach = reach, .quantiles = {{q, to}}}});
  };
  for (int round = 0; round < kRounds; ++round) {
    features::accepted_beats(context, found.flags, accepted);
    select_values(context, rr_s, accepted, kFewestAccepted, some.values, some.before);
    run(24, 0.7, found.reference_s);
    features::reference_departures(context, rr_s, found.reference_s, some.before, some.values);
    run(48, 0.5, found.scatter);
    features::premature_beats(context, rr_s, found.reference_s, found.flags, found.scatter, found.margin, next);
    const bool same = find_runs(context, on_host, found.reference_s, found.flags, next, found.premature);
    copy<std::uint8_t>(context, next, found.flags);
    if (same) break;  // further rounds would find the same
  }
  for (std::uint8_t& flags : found.premature) flags = (flags & kIsPremature) != 0;
}

template <class Context>
void find_rr_intervals(Context& context, std::span<const double> r_peaks, std::span<const std::uint8_t> broken,
                       double rate_hz, RrIntervals<Context>& found) {
  const auto on_host = known_rr_s(r_peaks, broken, rate_hz);
  copy<double>(context, on_host, found.rr_s);
  find_accepted<Context>(context, found.rr_s, on_host, {}, found.accepted);
  context.synchronize();
}

#define BEATSCAN_ACCEPTED_INTERVALS(Context)                                                                \
  template struct AcceptedIntervals<Context>;                                                               \
  template void find_accepted(Context&, std::span<const double>, std::span<const double>,                   \
                              std::span<const std::uint8_t>, AcceptedIntervals<Context>&);                  \
  template void find_rr_intervals(Context&, std::span<const double>, std::span<const std::uint8_t>, double, \
                                  RrIntervals<Context>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_ACCEPTED_INTERVALS)

}  // namespace beatscan
