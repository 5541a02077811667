#include "stages/classify/accepted_intervals.h"

#include <algorithm>
#include <cmath>

#include "stages/classify/beat_intervals.h"
#include "stages/classify/columns.h"
#include "stages/common/robust.h"

namespace beatscan {

namespace {

constexpr int kRounds = 3;
constexpr std::size_t kFewestAccepted = 3;
constexpr double kLeastPremature = 0.08;
constexpr double kRunRatio = 0.85, kRunChange = 0.06;
constexpr std::int64_t kLongRun = 60, kRunGap = 3, kRunEnd = 5;

using Flags = std::vector<std::uint8_t>;

std::vector<double> changes_of(std::span<const double> rr, const std::vector<double>& near) {
  const std::int64_t others = std::ssize(rr) - 1;  // the first beat has no interval before its own
  if (others < 1) return std::vector<double>(rr.size(), 0.05);
  const auto least = of_each_beat(others, [&](std::int64_t k) {
    const std::int64_t i = k + 1;
    double least = std::abs(rr[i] - rr[i - 1]) / near[i];
    for (std::int64_t j = 2; j <= std::min<std::int64_t>(i, 3); ++j)
      least = std::min(least, std::abs(rr[i] - rr[i - j]) / near[i]);
    return least;
  });
  const auto before =
      of_each_beat<std::int64_t>(std::ssize(rr), [](std::int64_t i) { return std::max<std::int64_t>(i - 1, 0); });
  return quantiles_around(least, before, 30, 0.5);
}

// Returns which beats are accepted; all where these are too few.
Flags accepted(const Flags& premature, std::span<const std::uint8_t> aside) {
  auto fit = of_each_beat<std::uint8_t>(std::ssize(premature), [&](std::int64_t i) {
    return i > 0 && !premature[i] && !aside[i] && !premature[i - 1] && !aside[i - 1];
  });
  if (std::ranges::count(fit, 1) < static_cast<std::ptrdiff_t>(kFewestAccepted)) std::ranges::fill(fit, 1);
  return fit;
}

void add_reference(std::span<const double> rr, const Flags& fit, AcceptedIntervals& found) {
  auto some = some_values(rr, [&](std::int64_t i) { return fit[i]; });
  found.reference_s = quantiles_around(some.values, some.before, 24, 0.7);
  each_beat(std::ssize(rr), [&](std::int64_t i) {
    if (fit[i]) some.values[some.before[i]] = std::abs(rr[i] / found.reference_s[i] - 1);
  });
  found.scatter = quantiles_around(some.values, some.before, 48, 0.5);
  each_beat(std::ssize(rr), [&](std::int64_t i) { found.scatter[i] *= 1.4826; });
}

std::vector<double> margins_of(std::span<const double> rr, const AcceptedIntervals& found,
                               std::span<const std::uint8_t> aside) {
  return of_each_beat(std::ssize(rr), [&](std::int64_t i) {
    const double reference = found.reference_s[i];
    const double late = i + 1 < std::ssize(rr) ? 0.5 * std::clamp(rr[i + 1] / reference - 1, 0.0, 0.5) : 0;
    double abrupt = i > 0 ? std::clamp(1 - rr[i] / rr[i - 1], -0.3, 0.2) : 0;
    if (i > 0 && found.premature[i - 1]) abrupt = std::max(abrupt, 0.0);
    if (i > 0 && aside[i - 1]) abrupt = 0;
    return 1 - rr[i] / reference + late + 0.6 * abrupt;
  });
}

// Clears the premature flag of beats after excluded ones, unless the time from the last beat that is not excluded is
// short, too.
void keep_behind_aside(std::span<const double> rr, std::span<const std::uint8_t> aside, AcceptedIntervals& found) {
  double across = 0;
  for (std::size_t i = 1; i < rr.size(); ++i) {
    if (!aside[i - 1]) continue;
    across = (i > 1 && aside[i - 2] ? across : rr[i - 1]) + rr[i];
    if (!(1 - across / found.reference_s[i] > kLeastPremature)) found.premature[i] = 0;
  }
}

void extend_runs(std::span<const double> rr, std::span<const std::uint8_t> aside, AcceptedIntervals& found) {
  int run = 0;
  double limit = 0;
  for (std::size_t i = 0; i < rr.size(); ++i) {
    if (found.premature[i]) {
      if (++run == 1) limit = kRunRatio * found.reference_s[i];
    } else if (!aside[i]) {
      const bool goes_on = run >= 2 && rr[i] < limit && found.change[i] < kRunChange;
      found.premature[i] = goes_on;
      run = goes_on ? run + 1 : 0;
    }
  }
}

double median_of(std::vector<double> values) { return quantile(values, 0.5); }

// Returns whether a run of premature beats, given by their places, is the dominant rhythm of its time.
bool is_dominant(std::span<const double> rr, std::span<const std::int64_t> run, const AcceptedIntervals& found) {
  std::vector<double> own, end, behind;
  for (const std::int64_t i : run) own.push_back(rr[i]);
  for (const std::int64_t i : run.last(kRunEnd)) end.push_back(rr[i]);
  for (std::int64_t i = run.back() + 1; i < std::min<std::int64_t>(run.back() + 1 + kRunEnd, std::ssize(rr)); ++i)
    behind.push_back(rr[i]);
  const double median = median_of(own), before = found.reference_s[std::max<std::int64_t>(run.front() - 1, 0)];
  const bool ends_suddenly = behind.size() >= 3 && median_of(behind) / median_of(end) > 1.15;
  return (!ends_suddenly && median / before > 0.62) || (median > 0.6 && before > 1.2);
}

void accept_dominant_runs(std::span<const double> rr, AcceptedIntervals& found) {
  std::vector<std::int64_t> run;
  const auto finish = [&] {
    if (std::ssize(run) >= kLongRun && is_dominant(rr, run, found))
      for (const std::int64_t i : run) found.premature[i] = 0;
    run.clear();
  };
  for (std::int64_t i = 0; i < std::ssize(rr); ++i) {
    if (!found.premature[i]) continue;
    if (!run.empty() && i - run.back() > kRunGap) finish();
    run.push_back(i);
  }
  finish();
}

}  // namespace

AcceptedIntervals accepted_intervals(std::span<const double> rr, std::span<const std::uint8_t> aside) {
  const std::int64_t beats = std::ssize(rr);
  AcceptedIntervals found;
  const auto near = quantiles_around(rr, 15, 0.6);
  found.change = changes_of(rr, near);
  const auto others = some_values(rr, [&](std::int64_t i) { return !aside[i]; }).values;
  const double recording = others.size() > 4 ? median_of(others) : median_of({rr.begin(), rr.end()});
  found.premature = of_each_beat<std::uint8_t>(beats, [&](std::int64_t i) {
    const double ratio = rr[i] / near[i];
    return i > 0 && !aside[i] && (ratio < 0.84 || rr[i] / recording < 0.75) && ratio < 1 - 6 * found.change[i];
  });
  for (int round = 0; round < kRounds; ++round) {
    const Flags before = found.premature;
    add_reference(rr, accepted(before, aside), found);
    found.margin = margins_of(rr, found, aside);
    found.premature = of_each_beat<std::uint8_t>(beats, [&](std::int64_t i) {
      return i > 0 && !aside[i] && 1 - rr[i] / found.reference_s[i] > kLeastPremature &&
             found.margin[i] > premature_margin(found.scatter[i]);
    });
    keep_behind_aside(rr, aside, found);
    extend_runs(rr, aside, found);
    accept_dominant_runs(rr, found);
    if (found.premature == before) break;  // further rounds would find the same
  }
  return found;
}

RrIntervals rr_intervals(std::span<const double> r_peaks, std::span<const std::uint8_t> broken, double rate_hz) {
  auto rr_s = known_rr_s(r_peaks, broken, rate_hz);
  auto accepted = accepted_intervals(rr_s, std::vector<std::uint8_t>(rr_s.size()));
  return {std::move(rr_s), std::move(accepted)};
}

void add_accepted_columns(std::span<const double> rr, const AcceptedIntervals& accepted, FeatureColumns& columns) {
  const auto& reference = accepted.reference_s;
  const auto ratio = [&](std::int64_t i, double interval) { return std::log(interval / reference[i]); };
  columns.add("reference_rr_s", "s", "reference RR interval, over accepted beats",
              [&](std::int64_t i) { return reference[i]; });
  columns.add("prematurity", "", "log of the RR interval before the beat over the reference",
              [&](std::int64_t i) { return std::clamp(ratio(i, rr[i]), -1.2, 1.0); });
  columns.add("pause", "", "log of the RR interval after the beat over the reference",
              [&](std::int64_t i) { return std::clamp(ratio(i, neighbour(rr, i, 1)), -1.2, 1.0); });
  columns.add("prematurity_margin", "", "how far the prematurity exceeds the threshold of premature beats",
              [&](std::int64_t i) {
                return std::clamp(accepted.margin[i] - premature_margin(accepted.scatter[i]), -0.6, 0.6);
              });
  columns.add("is_premature", "", "1 for a premature beat", [&](std::int64_t i) { return accepted.premature[i]; });
  columns.add("reference_scatter", "", "scatter of accepted intervals around the reference",
              [&](std::int64_t i) { return accepted.scatter[i]; });
  columns.add("rr_change", "", "median of the least change over 1 to 3 beats, 30 beats on either side",
              [&](std::int64_t i) { return accepted.change[i]; });
  columns.add("rr_sum_before", "", "log of the time from the beat before the last to this one over the reference",
              [&](std::int64_t i) { return std::clamp(ratio(i, rr[i] + neighbour(rr, i, -1)), -0.8, 1.6); });
  columns.add("rr_sum_around", "", "log of the time from the beat before to the next over the reference there",
              [&](std::int64_t i) {
                const std::int64_t next = std::min<std::int64_t>(i + 1, std::ssize(rr) - 1);
                return std::clamp(ratio(next, rr[i] + rr[next]), -0.8, 1.6);
              });
}

}  // namespace beatscan
