#include "stages/io/csv/coarse_clock.h"

#include <algorithm>
#include <cmath>

#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr std::size_t kFewestTicks = 16, kShortestRun = 4;  // ticks
constexpr double kOffTick = 0.01;                           // of a step: times are rounded
constexpr double kRounded_s = 6e-4, kLongStep_s = 0.01;     // long steps may be rounded to milliseconds
constexpr double kStoodStill = 3;                           // times the rows of dense ticks: the clock stood still
constexpr std::size_t kRareSteps = 50;                      // one step of so many may be shorter by rounding
constexpr double kDense = 0.98;                             // quantile of the rows of runs: a tick may come late
constexpr double kRunRows = 100, kFewestRuns = 64;          // runs whose variance shows lost rows
constexpr std::size_t kRuns = 4;                            // so many of them are compared with one
constexpr double kPhase = 0.25 / (kRuns - 1);               // rows by which the ends of runs change their variance
constexpr double kBurstRows = 8;                            // lost in one tick
constexpr double kBursts = 3;                               // rows that are lost together
constexpr double kAlike = 1.5;                              // rows by which most runs may differ from dense ones
constexpr double kRound = 25, kMostWhole = 1000;            // roundness of typical rates; more numbers say nothing
constexpr double kNonsense_hz = 1e9;
constexpr double kRounding = 1e-9;  // of a rate
constexpr double kSpread = 2;       // standard errors that bound a rate

// A change of the clock: the first row with the new time.
struct Tick {
  double time;  // in seconds
  double row;
};

std::vector<Tick> ticks_of(std::span<const double> times, double unit_s) {
  std::vector<Tick> ticks;
  for (std::size_t row = 1; row < times.size(); ++row)
    if (times[row] != times[row - 1]) ticks.push_back({times[row] * unit_s, static_cast<double>(row)});
  return ticks;
}

// Returns the step of the clock; 0 if the ticks are no whole numbers of it. The times may be rounded.
double step_of(const std::vector<Tick>& ticks) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < ticks.size(); ++k) steps.push_back(ticks[k].time - ticks[k - 1].time);
  const double least = nth_value<double>(steps, steps.size() / kRareSteps);
  double whole = 0;
  for (const double one : steps) whole += std::round(one / least);
  const double step = (ticks.back().time - ticks.front().time) / whole;
  const double most = std::max(kOffTick * step, step < kLongStep_s ? 0 : kRounded_s);
  const auto is_off = [&](double one) {
    return one < step / 2 || std::abs(one - std::round(one / step) * step) > most;
  };
  return std::ranges::any_of(steps, is_off) ? 0 : step;
}

double square(double x) { return x * x; }

double rows_per_time(const Tick& from, const Tick& to) { return (to.row - from.row) / (to.time - from.time); }

// Returns whether one line passes within a row of all ticks.
bool are_on_a_line(const std::vector<Tick>& ticks) {
  const double rate = rows_per_time(ticks.front(), ticks.back());
  double least = 0, most = 0;
  for (const Tick& tick : ticks) {
    const double off = tick.row - ticks[0].row - rate * (tick.time - ticks[0].time);
    least = std::min(least, off);
    most = std::max(most, off);
  }
  return most - least <= 2;
}

// Returns the variance of the rows in runs of so many ticks around those that a rate makes.
double variance_of_runs(const std::vector<Tick>& ticks, double rate, std::size_t length) {
  double sum = 0;
  for (std::size_t k = length; k < ticks.size(); ++k)
    sum += square(ticks[k].row - ticks[k - length].row - rate * (ticks[k].time - ticks[k - length].time));
  return sum / static_cast<double>(ticks.size() - length);
}

// Returns whether the clock stood still: a tick has several times the rows of any typical one.
bool stands_still(const std::vector<Tick>& ticks) {
  std::vector<double> rows;
  for (std::size_t k = 1; k < ticks.size(); ++k) rows.push_back(ticks[k].row - ticks[k - 1].row);
  return std::ranges::max(rows) > kStoodStill * quantile(rows, kDense) + 1;
}

// Returns whether rows are lost: each loss moves all ticks behind it, so that runs of several ticks differ from the
// mean rate by more than single ones, with a variance that grows as their number. Ticks of rows whose times jitter
// compensate each other: their runs differ as much as single ones.
bool lose_rows(const std::vector<Tick>& ticks) {
  const double rate = rows_per_time(ticks.front(), ticks.back());
  const double of_one = variance_of_runs(ticks, rate, 1);
  for (std::size_t length = kShortestRun; length <= ticks.size() / kShortestRun; length *= 2)
    if (variance_of_runs(ticks, rate, length) > std::sqrt(static_cast<double>(length)) * of_one) return true;
  return false;
}

// RateBounds of the rate, in rows of `ticks` per second.
struct RateBounds {
  double lowest = 0, highest = 0, likely = 0;
  RateBounds operator*(double factor) const { return {lowest * factor, highest * factor, likely * factor}; }
};

// Returns the bounds by the densest runs of ticks. Where most runs of a length are as dense as the densest ones, no row
// is lost in these, and the longer they are the closer they bound the rate from above.
RateBounds bounds_of_runs(const std::vector<Tick>& ticks, double step) {
  RateBounds bounds;
  for (std::size_t run = 1; run < ticks.size(); run *= 2) {
    std::vector<double> rates;
    for (std::size_t k = run; k < ticks.size(); ++k) rates.push_back(rows_per_time(ticks[k - run], ticks[k]));
    const double slack = 1 / (static_cast<double>(run) * step), rate = quantile(rates, kDense);
    const bool is_denser = rate - slack > bounds.lowest;
    const bool are_alike = upper_median(rates) >= rate - kAlike * slack && rate + slack > bounds.lowest;
    const double lowest = std::max(rate - slack, bounds.lowest);
    if (is_denser || are_alike) bounds = {lowest, rate + slack, std::max(rate, lowest)};
  }
  return bounds;
}

// Returns the bounds by all stretches between ticks that have lost two rows or more against a rate. The ends of a
// stretch are known to a row, and one more may be lost there.
RateBounds bounds_of_stretches(const std::vector<Tick>& ticks, double rate) {
  double rows = 0, length = 0, stretches = 0;
  bool in_stretch = false;
  for (std::size_t k = 1; k < ticks.size(); ++k) {
    const double in_tick = ticks[k].row - ticks[k - 1].row, time = ticks[k].time - ticks[k - 1].time;
    const bool is_whole = rate * time - in_tick < 2;
    if (is_whole) {
      rows += in_tick;
      length += time;
      stretches += !in_stretch;
    }
    in_stretch = is_whole;
  }
  const double error = kSpread * std::sqrt(stretches) / length;
  if (length == 0) return {};
  return {rows / length - error, (rows + stretches) / length + error, (rows + stretches / 2) / length};
}

// Returns the bounds where single rows are lost throughout: then the mean number that a run has lost is the variance
// by which four runs in a row differ more than one. Returns nothing where rows are lost in bursts: that
// variance is several times as large then as the number that the bounds by runs make.
std::optional<RateBounds> bounds_of_variance(const std::vector<Tick>& ticks, double step, RateBounds of_runs) {
  const double rate = rows_per_time(ticks.front(), ticks.back()), count = static_cast<double>(ticks.size());
  const double wanted = std::clamp(kRunRows / (rate * step), 1.0, std::max(count / kFewestRuns, 1.0));
  const auto run = static_cast<std::size_t>(wanted);
  const double run_s = static_cast<double>(run) * step, runs = count / static_cast<double>(run);
  const double grows = variance_of_runs(ticks, rate, kRuns * run) - variance_of_runs(ticks, rate, run);
  const double lost = std::max(grows / (kRuns - 1), 0.0);  // in a run
  if (lost > kBursts * (of_runs.highest - rate) * run_s) return std::nullopt;
  const double error = (kSpread * (lost * std::sqrt(2 * kRuns / runs) + std::sqrt(lost / runs)) + kPhase) / run_s;
  const double lowest = std::max(rate + lost / run_s - error, of_runs.lowest);
  const double highest = std::max(rate + lost / run_s + error, of_runs.highest);
  return RateBounds{lowest, highest, std::clamp(rate + lost / run_s, lowest, highest)};
}

// Returns the bounds of a rate at which rows are lost. Where they are lost in bursts, the stretches between these
// narrow the bounds by runs, if both agree.
RateBounds bounds_of(const std::vector<Tick>& ticks, double step) {
  const RateBounds of_runs = bounds_of_runs(ticks, step);
  if (const auto of_singles = bounds_of_variance(ticks, step, of_runs)) return *of_singles;
  const RateBounds of_stretches = bounds_of_stretches(ticks, (of_runs.lowest + of_runs.highest) / 2);
  const double lowest = std::max(of_runs.lowest, of_stretches.lowest);
  const double highest = std::min(of_runs.highest, of_stretches.highest);
  if (lowest >= highest) return of_runs;
  return {lowest, highest, std::clamp(of_stretches.likely, lowest, highest)};
}

// Returns the largest divisor of a whole number that has the factors 2 and 5 alone: rates are round numbers.
double roundness(double whole) {
  double round = 1;
  for (const double factor : {2.0, 5.0})
    for (; std::fmod(whole, factor) == 0; whole /= factor) round *= factor;
  return round;
}

// Returns the rate within its bounds: the nearest round number, or else the nearest whole one, or else the likely rate.
double likely_rate(const RateBounds& bounds) {
  double likely = bounds.likely, nearest = INFINITY;
  bool is_round = false;
  if (!(bounds.highest - bounds.lowest <= kMostWhole && bounds.highest < kNonsense_hz)) return likely;
  const double rounding = kRounding * bounds.highest;
  for (double whole = std::max(std::ceil(bounds.lowest - rounding), 1.0); whole <= bounds.highest + rounding; ++whole) {
    const bool round = roundness(whole) >= kRound;
    const double off = std::abs(whole - bounds.likely);
    if (is_round > round || (is_round == round && off >= nearest)) continue;
    likely = whole, nearest = off, is_round = round;
  }
  return likely;
}

// Returns the lost rows by the ticks that come too early for their rows. A loss moves all ticks behind it. So one that
// has a row too few, and makes up for a row too many in the tick before, has lost none: no tick is earlier than any
// tick behind it. So few ticks are behind the last ones that these show no single row.
std::vector<MissingRows> lost_rows(const std::vector<Tick>& ticks, double rate) {
  std::vector<double> early;
  for (const Tick& tick : ticks) early.push_back(rate * (tick.time - ticks[0].time) - (tick.row - ticks[0].row));
  for (auto k = early.size() - 1; k-- > 0;) early[k] = std::min(early[k], early[k + 1]);
  std::vector<MissingRows> missing;
  double inserted = 0;
  std::size_t last = 0;  // tick with lost rows
  for (std::size_t k = 0; k < ticks.size(); ++k) {
    const double lost = std::floor(early[k] - early[0] + 1e-6) - inserted;
    if (lost < 1 || (lost < 2 && k + kFewestTicks > ticks.size())) continue;
    double rows = lost;
    // A row that seems lost shortly before a burst is one of it: the last late tick before it is no loss.
    if (lost >= kBurstRows && !missing.empty() && missing.back().samples == 1 && k - last < kFewestTicks) {
      rows += 1;
      missing.pop_back();
    }
    missing.push_back({static_cast<std::int64_t>(ticks[k].row), static_cast<std::int64_t>(std::min(rows, 1e15))});
    inserted += lost;
    last = k;
  }
  return missing;
}

}  // namespace

std::optional<CoarseFit> fit_coarse_clock(std::span<const double> times, double unit_s, std::int64_t rows) {
  const auto ticks = ticks_of(times, unit_s);
  if (ticks.size() < kFewestTicks) return std::nullopt;
  if (const double hz = rows_per_time(ticks.front(), ticks.back()); !(hz > 1 / kNonsense_hz && hz < kNonsense_hz))
    return std::nullopt;
  CoarseFit fit{.tick_s = step_of(ticks)};
  if (fit.tick_s == 0 || stands_still(ticks) || are_on_a_line(ticks) || !lose_rows(ticks)) return std::nullopt;
  const RateBounds bounds = bounds_of(ticks, fit.tick_s) * static_cast<double>(rows);
  fit.rate_hz = likely_rate(bounds);
  fit.rate_error_hz = std::max(bounds.highest - fit.rate_hz, fit.rate_hz - bounds.lowest);
  if (!(fit.rate_hz > 0)) return std::nullopt;
  fit.missing = lost_rows(ticks, fit.rate_hz / static_cast<double>(rows));
  return fit;
}

}  // namespace beatscan
