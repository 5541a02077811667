#include "stages/io/csv/coarse_clock.h"

#include <algorithm>
#include <cmath>

#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr std::size_t kFewestTicks = 16, kShortestRun = 4, kLongestRun = 64;  // ticks
constexpr double kOffTick = 0.01;                                             // of a step: times are rounded
constexpr double kUpper = 0.95;
constexpr double kFarWhole = 0.02;  // a whole rate is no farther from what the runs allow

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

// Returns the step of the clock; 0 if the ticks are no whole numbers of it.
double step_of(const std::vector<Tick>& ticks) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < ticks.size(); ++k) steps.push_back(ticks[k].time - ticks[k - 1].time);
  const double step = upper_median(steps);
  for (const double one : steps)
    if (const double whole = std::round(one / step); whole < 1 || std::abs(one / step - whole) > kOffTick * whole)
      return 0;
  return step;
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

// Returns whether rows are lost: each loss moves all ticks behind it, so that runs of several ticks differ from the
// mean rate by more than single ones, with a variance that grows as their number. Ticks of rows whose times jitter
// compensate each other: their runs differ as much as single ones.
bool lose_rows(const std::vector<Tick>& ticks) {
  const double rate = rows_per_time(ticks.front(), ticks.back());
  const auto variance_of_runs = [&](std::size_t length) {
    double sum = 0;
    for (std::size_t k = length; k < ticks.size(); ++k)
      sum += square(ticks[k].row - ticks[k - length].row - rate * (ticks[k].time - ticks[k - length].time));
    return sum / static_cast<double>(ticks.size() - length);
  };
  const double of_one = variance_of_runs(1);
  for (std::size_t length = kShortestRun; length <= ticks.size() / kShortestRun; length *= 2)
    if (variance_of_runs(length) > std::sqrt(static_cast<double>(length)) * of_one) return true;
  return false;
}

// Returns the rate of all stretches between ticks that lack two rows or more; `length` is the time that they take.
double rate_of_stretches(const std::vector<Tick>& ticks, double rate, double& length, double& count) {
  double rows = 0;
  length = count = 0;
  bool in_stretch = false;
  for (std::size_t k = 1; k < ticks.size(); ++k) {
    const double in_tick = ticks[k].row - ticks[k - 1].row, time = ticks[k].time - ticks[k - 1].time;
    const bool is_whole = rate * time - in_tick < 2;
    if (is_whole) {
      rows += in_tick;
      length += time;
      count += !in_stretch;
    }
    in_stretch = is_whole;
  }
  return length > 0 ? rows / length : 0;
}

// Returns the lowest rate that all runs of ticks allow: a run holds less than a row more than its time makes.
double lowest_rate(const std::vector<Tick>& ticks) {
  double lowest = 0;
  for (std::size_t run = 1; run <= kLongestRun; ++run)
    for (std::size_t k = run; k < ticks.size(); ++k)
      lowest = std::max(lowest, (ticks[k].row - ticks[k - run].row - 1) / (ticks[k].time - ticks[k - run].time));
  return lowest;
}

// Returns the lost rows by the ticks that come too early for their rows.
std::vector<MissingRows> lost_rows(const std::vector<Tick>& ticks, double rate) {
  std::vector<MissingRows> missing;
  double inserted = 0, phase = 0;
  for (const Tick& tick : ticks) {
    const double late = rate * (tick.time - ticks[0].time) - (tick.row - ticks[0].row) - inserted;
    phase = std::min(phase, late);
    if (late - phase < 1 + 1e-6) continue;
    const double lost = std::floor(late - phase + 1e-6);
    missing.push_back({static_cast<std::int64_t>(tick.row), static_cast<std::int64_t>(std::min(lost, 1e15))});
    inserted += lost;
  }
  return missing;
}

}  // namespace

std::optional<CoarseFit> fit_coarse_clock(std::span<const double> times, double unit_s) {
  const auto ticks = ticks_of(times, unit_s);
  if (ticks.size() < kFewestTicks) return std::nullopt;
  CoarseFit fit{.tick_s = step_of(ticks)};
  if (fit.tick_s == 0 || are_on_a_line(ticks) || !lose_rows(ticks)) return std::nullopt;
  std::vector<double> rates;
  for (std::size_t k = 1; k < ticks.size(); ++k) rates.push_back(rows_per_time(ticks[k - 1], ticks[k]));
  double length = 0, stretches = 0;
  fit.rate_hz = rate_of_stretches(ticks, quantile(rates, kUpper), length, stretches);
  if (const double again = rate_of_stretches(ticks, fit.rate_hz, length, stretches); again > 0) fit.rate_hz = again;
  if (!(fit.rate_hz > 0)) return std::nullopt;
  fit.rate_error_hz = std::sqrt(stretches) / length;  // the ends of a stretch are known to a row
  if (const double lowest = lowest_rate(ticks); fit.rate_hz < lowest) {
    const double whole = std::ceil(lowest - 1e-9);
    fit.rate_error_hz = std::max(whole - lowest, fit.rate_error_hz);
    fit.rate_hz = whole - lowest <= kFarWhole * lowest ? whole : lowest;
  } else if (const double nearest = std::round(fit.rate_hz); std::abs(nearest - fit.rate_hz) <= fit.rate_error_hz) {
    fit.rate_hz = nearest;
  }
  fit.missing = lost_rows(ticks, fit.rate_hz);
  return fit;
}

}  // namespace beatscan
