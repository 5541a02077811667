#include "stages/io/csv/time_axis.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "stages/common/robust.h"
#include "stages/io/csv/coarse_clock.h"

namespace beatscan {
namespace {

constexpr double kJump = 1.5;                               // in typical steps
constexpr double kLate_samples = 0.75;                      // less is jitter
constexpr std::int64_t kWindow = 8;                         // rows on either side of a jump
constexpr std::int64_t kSteps = 100'000;                    // most steps that the typical step is the median of
constexpr std::int64_t kSpan = 256;                         // rows whose length gives a first period
constexpr std::int64_t kSpanSteps = 64;                     // fewest steps of such a span
constexpr double kLowest_hz = 1e-100, kHighest_hz = 1e100;  // other rates are nonsense
constexpr double kMostMissing_samples = 1e15;               // more than any recording has
constexpr std::int64_t kUnplaced = 200;                     // one row in so many may be late without a cause
constexpr std::int64_t kRepeated = 100;                     // more than one row in so many repeats a time: jitter
constexpr double kLongGap_s = 1;                            // a jump that is no jitter
constexpr double kOffGrid = 0.15;                           // mean distance of a step from a grid, in its periods
constexpr double kTicks = 3;                                // steps of a clock that rounded times may be apart

bool is_known(double time) { return !std::isnan(time); }

// Fills in unknown times between known ones by straight lines.
void fill_in(std::span<double> times) {
  std::ptrdiff_t before = 0;
  for (std::ptrdiff_t row = 1; row < std::ssize(times); ++row) {
    if (!is_known(times[row])) continue;
    const double step = (times[row] - times[before]) / static_cast<double>(row - before);
    for (auto between = before + 1; between < row; ++between)
      times[between] = times[before] + step * static_cast<double>(between - before);
    before = row;
  }
}

// The steps between rows that are not 0.
struct Steps {
  std::int64_t count = 0;
  double usual = 0;  // their median; of more than kSteps, the median of some, evenly spread
  double small = 0;  // a tenth of these is smaller
};
Steps steps_of(std::span<const double> times) {
  Steps steps;
  for (std::size_t row = 1; row < times.size(); ++row) steps.count += times[row] != times[row - 1];
  const std::int64_t stride = std::max<std::int64_t>(steps.count / kSteps, 1);
  std::vector<double> some;
  std::int64_t seen = 0;
  for (std::size_t row = 1; row < times.size(); ++row)
    if (times[row] != times[row - 1] && seen++ % stride == 0) some.push_back(times[row] - times[row - 1]);
  if (some.empty()) return steps;
  steps.small = nth_value<double>(some, some.size() / 10);
  steps.usual = upper_median(some);
  return steps;
}

// Returns the time of one row by the median over spans of rows: jumps are too few to fall into most of them. Coarse
// times need longer spans.
double period_of_spans(std::span<const double> times, const Steps& steps) {
  const std::int64_t rows = std::ssize(times) - 1;
  const std::int64_t wanted = std::max(kSpan, kSpanSteps * rows / std::max<std::int64_t>(steps.count, 1));
  const std::int64_t span = std::max<std::int64_t>(std::min(rows / 5, wanted), 1);
  std::vector<double> periods;
  for (std::int64_t row = 0; row + span <= rows; row += span)
    periods.push_back((times[row + span] - times[row]) / static_cast<double>(span));
  return upper_median(periods);
}

// A stretch of rows, and how much time passes from its first to its last one.
struct Stretch {
  std::int64_t steps = 0;
  double length = 0;
};

// Measures rows [first, last]. Of coarse times the rows before the first change and those after the last one are left
// out: how much of the clock's step they cover is not known.
Stretch measure(std::span<const double> times, std::int64_t first, std::int64_t last, bool coarse) {
  if (coarse) {
    const double from = times[first], to = times[last];
    while (first < last && times[first] == from) ++first;
    while (last > first && times[last - 1] == to) --last;
  }
  return {last - first, times[last] - times[first]};
}

// Returns the time of one row by all steps but the jumps; 0 if coarse times change too rarely to determine it.
double period_of_steps(std::span<const double> times, const std::vector<MissingRows>& jumps, bool coarse) {
  Stretch all;
  const auto add = [&](const Stretch& stretch) {
    all.steps += stretch.steps;
    all.length += stretch.length;
  };
  std::int64_t from = 0;
  for (const auto& jump : jumps) {
    add(measure(times, from, jump.before_row - 1, coarse));
    from = jump.before_row;
  }
  add(measure(times, from, std::ssize(times) - 1, coarse));
  return all.length / static_cast<double>(std::max<std::int64_t>(all.steps, 1));
}

// Returns the rows after steps that are longer than `step`: they may be jumps.
std::vector<std::int64_t> rows_behind_jumps(std::span<const double> times, double step) {
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 1; row < std::ssize(times); ++row)
    if (times[row] - times[row - 1] > step) rows.push_back(row);
  return rows;
}

// Measures how many samples are missing at each possible jump, one after the other.
class JumpMeter {
 public:
  JumpMeter(std::span<const double> times, std::span<const std::int64_t> jumps, double period, double usual)
      : times_(times),
        jumps_(jumps),
        period_(period),
        usual_lateness_(usual / period - std::min(static_cast<double>(kWindow), usual / period)) {}

  std::vector<MissingRows> measure() {
    for (std::size_t jump = 0; jump < jumps_.size(); ++jump) {
      const std::int64_t row = jumps_[jump], next = jump + 1 < jumps_.size() ? jumps_[jump + 1] : std::ssize(times_);
      const double late =
          upper_median(after(row, std::min(row + kWindow, next))) - upper_median(before(row)) - usual_lateness_;
      if (late < kLate_samples) continue;
      missing_.push_back({row, std::llround(std::min(late, kMostMissing_samples))});
      inserted_ += missing_.back().samples;
    }
    return std::move(missing_);
  }

 private:
  // Returns by how many samples a row is late against an even clock that has waited for the samples inserted so far.
  double lateness(std::int64_t row, std::int64_t inserted) const {
    return (times_[row] - times_[0]) / period_ - static_cast<double>(row + inserted);
  }
  std::vector<double> before(std::int64_t row) const {
    std::vector<double> late;
    std::int64_t inserted = inserted_;
    auto jump = missing_.rbegin();
    for (auto earlier = row - 1; earlier >= std::max<std::int64_t>(row - kWindow, 0); --earlier) {
      for (; jump != missing_.rend() && earlier < jump->before_row; ++jump) inserted -= jump->samples;
      late.push_back(lateness(earlier, inserted));
    }
    return late;
  }
  std::vector<double> after(std::int64_t row, std::int64_t end) const {
    std::vector<double> late;
    for (; row < end; ++row) late.push_back(lateness(row, inserted_));
    return late;
  }

  std::span<const double> times_;
  std::span<const std::int64_t> jumps_;
  const double period_, usual_lateness_;
  std::vector<MissingRows> missing_;
  std::int64_t inserted_ = 0;
};

void find_repeats(std::span<const double> times, TimeAxis& axis) {
  for (std::int64_t row = 1; row < std::ssize(times); ++row)
    if (times[row] == times[row - 1] && axis.repeats++ == 0) axis.first_repeat = row;
}

// Computes the axis of times that do not go back, with a first period; steps longer than `jump` may be jumps. A rate
// of 0 is none.
TimeAxis measured_axis(std::span<const double> times, double unit_s, const Steps& steps, double period, double jump) {
  TimeAxis axis;
  if (!(period > 0)) return axis;
  const auto jumps = rows_behind_jumps(times, jump);
  const auto missing = JumpMeter(times, jumps, period, steps.usual).measure();
  const bool coarse = 2 * steps.count < std::ssize(times);
  const double measured = period_of_steps(times, missing, coarse);
  period = measured > 0 ? measured : period_of_steps(times, missing, false);
  const double hz = 1 / (period * unit_s);
  if (!(hz > kLowest_hz && hz < kHighest_hz)) return axis;
  axis.rate_hz = plain_rate(hz);
  period = 1 / (axis.rate_hz * unit_s);
  axis.missing = JumpMeter(times, jumps, period, steps.usual).measure();
  axis.uneven = compare_with_clock(times, {period, unit_s, steps.usual, axis.missing});
  axis.unplaced = std::ssize(jumps) - std::ssize(axis.missing);
  return axis;
}

// Returns the mean of the steps that are not 0 and not longer than `most`.
double mean_of_steps_up_to(std::span<const double> times, double most) {
  double sum = 0, count = 0;
  for (std::size_t row = 1; row < times.size(); ++row)
    if (const double step = times[row] - times[row - 1]; step > 0 && step <= most) {
      sum += step;
      ++count;
    }
  return count > 0 ? sum / count : 0;
}

// Returns whether the steps may be whole numbers of samples of this period, by at most kSteps of them, evenly spread.
// It costs little, and the times of few recordings lie on a grid.
bool may_be_on_grid(std::span<const double> times, double period) {
  if (!(period > 0)) return false;
  const std::int64_t stride = std::max<std::int64_t>(std::ssize(times) / kSteps, 1);
  double off = 0, count = 0;
  for (std::int64_t row = 1; row < std::ssize(times); row += stride, ++count) {
    const double samples = (times[row] - times[row - 1]) / period;
    off += std::abs(samples - std::max(std::round(samples), 1.0));
  }
  return off <= kOffGrid * count;
}

// Returns whether the steps are about whole numbers of samples, as many as the axis has.
bool is_on_grid(std::span<const double> times, double unit_s, const TimeAxis& axis) {
  double off = 0;
  auto jump = axis.missing.begin();
  for (std::int64_t row = 1; row < std::ssize(times); ++row) {
    const bool jumps = jump != axis.missing.end() && jump->before_row == row;
    const double samples = 1 + (jumps ? static_cast<double>((jump++)->samples) : 0);
    off += std::abs((times[row] - times[row - 1]) * unit_s * axis.rate_hz - samples);
  }
  return off <= kOffGrid * static_cast<double>(times.size() - 1);
}

// Returns the axis of times on a grid from which rows are missing; nothing for other times.
std::optional<TimeAxis> axis_on_grid(std::span<const double> times, double unit_s, Steps steps) {
  std::vector<double> usual_steps{steps.usual};
  if (steps.small < steps.usual) usual_steps.push_back(steps.small);
  for (const double usual : usual_steps) {
    steps.usual = usual;
    const double period = mean_of_steps_up_to(times, kJump * usual);
    if (!may_be_on_grid(times, period)) continue;
    TimeAxis axis = measured_axis(times, unit_s, steps, period, kJump * usual);
    if (axis.rate_hz > 0 && axis.uneven.distance_s == 0 && is_on_grid(times, unit_s, axis)) return axis;
  }
  return std::nullopt;
}

// Returns the axis of times that jitter by more than a sample: only a jump of more than a second is one. Returns
// nothing if that does not make an even clock.
std::optional<TimeAxis> axis_of_jitter(std::span<const double> times, double unit_s, const Steps& steps) {
  const double jump = std::max(kJump * steps.usual, kLongGap_s / unit_s);
  TimeAxis axis = measured_axis(times, unit_s, steps, period_of_spans(times, steps), jump);
  if (axis.rate_hz == 0 || axis.uneven.distance_s > 0) return std::nullopt;
  axis.jitters = true;
  return axis;
}

// Returns the axis of a coarse clock with lost rows; nothing for other times.
std::optional<TimeAxis> axis_of_coarse(std::span<const double> times, double unit_s, const Steps& steps) {
  if (2 * steps.count >= std::ssize(times)) return std::nullopt;
  auto fit = fit_coarse_clock(times, unit_s);
  if (!fit || !(fit->rate_hz > kLowest_hz && fit->rate_hz < kHighest_hz)) return std::nullopt;
  TimeAxis axis;
  axis.rate_hz = plain_rate(fit->rate_hz);
  axis.rate_error_hz = fit->rate_error_hz;
  axis.tick_s = fit->tick_s;
  axis.missing = std::move(fit->missing);
  axis.uneven = compare_with_clock(times, {1 / (axis.rate_hz * unit_s), unit_s, steps.usual, axis.missing});
  return axis;
}

TimeAxis axis_of_known(std::span<double> times, double unit_s) {
  TimeAxis axis;
  fill_in(times);
  const auto back = std::ranges::adjacent_find(times, std::greater());
  if (back != times.end()) {
    axis.first_step_back = back - times.begin() + 1;
    return axis;
  }
  const Steps steps = steps_of(times);
  const std::int64_t rows = std::ssize(times);
  if (auto coarse = axis_of_coarse(times, unit_s, steps)) return *std::move(coarse);
  axis = measured_axis(times, unit_s, steps, period_of_spans(times, steps), kJump * steps.usual);
  if (axis.rate_hz == 0) return axis;
  const bool is_uneven = axis.uneven.distance_s > 0;
  const std::int64_t repeats = rows - 1 - steps.count;
  const bool repeat = repeats > std::max<std::int64_t>(rows / kRepeated, 1);
  const bool early_and_late = repeat && std::ssize(axis.missing) > rows / kUnplaced;
  // Times that were rounded to a tick stay within it around an even clock, and lost rows make them wander.
  const bool wanders = axis.uneven.spread > kTicks * steps.small;
  std::optional<TimeAxis> better;
  if (!repeat && (is_uneven || (wanders && axis.unplaced > rows / kUnplaced)))
    better = axis_on_grid(times, unit_s, steps);
  if (!better && (is_uneven || early_and_late)) better = axis_of_jitter(times, unit_s, steps);
  if (better) axis = std::move(*better);
  if (steps.count + 1 < rows && steps.usual < kJump / (axis.rate_hz * unit_s)) find_repeats(times, axis);
  return axis;
}

}  // namespace

TimeAxis time_axis(std::span<double> times, double unit_s) {
  const auto first = std::ranges::find_if(times, is_known) - times.begin();
  auto end = std::ssize(times);
  while (end > first && !is_known(times[end - 1])) --end;
  if (end - first < 2) return {};
  TimeAxis axis =
      axis_of_known(times.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first)), unit_s);
  for (auto* row : {&axis.first_step_back, &axis.first_repeat})
    if (*row != TimeAxis::kNone) *row += first;
  for (auto& missing : axis.missing) missing.before_row += first;
  axis.uneven.row += first;
  return axis;
}

double plain_rate(double hz) {
  if (const double whole = std::round(hz); whole >= 1 && std::abs(hz - whole) <= 1e-4 * hz) return whole;
  const double scale = std::pow(10, 6 - std::floor(std::log10(hz)));
  return std::round(hz * scale) / scale;
}

}  // namespace beatscan
