#include "stages/io/csv/time_axis.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "stages/common/robust.h"
#include "stages/io/csv/coarse_clock.h"
#include "stages/io/csv/packet_times.h"

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
constexpr double kTicks = 3, kOwnTicks = 2;                 // steps of a clock that rounded times may be apart
constexpr double kOneStep = 1.5;                            // a step up to this many periods is one of a period
constexpr double kTickShare = 0.01;                         // steps that fewer rows have show no clock
constexpr double kOffClock_us = 0.01, kOffDigits = 1e-4;    // of whole microseconds, and of a power of ten
constexpr double kEqualSteps = 0.9;                         // packets with so many equal steps show no clock's step
constexpr double kRefined = 5e-3;                           // share by which counted rows may change a rate

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

// What a step of times means.
struct Unit {
  double s;               // of the times, in seconds
  std::int64_t rows = 1;  // with each of these times
  double hz(double period) const { return static_cast<double>(rows) / (period * s); }
  double period(double hz) const { return static_cast<double>(rows) / (hz * s); }
};

// The steps between rows that are not 0.
struct Steps {
  std::int64_t count = 0;
  double usual = 0;  // their median; of more than kSteps, the median of some, evenly spread
  double small = 0;  // a tenth of these is smaller
  double tick = 0;   // the least difference of two of them that is no rounding: the step of the clock
  double alike = 0;  // share of them that are the median
};
// Returns the least difference between frequent values of steps; their value if they are all alike.
double tick_of(std::vector<double> some, double rounding) {
  std::ranges::sort(some);
  const auto frequent = static_cast<std::ptrdiff_t>(kTickShare * static_cast<double>(some.size()));
  double tick = some[some.size() / 2], before = 0;
  for (auto first = some.begin(); first != some.end();) {
    const auto end = std::find_if(first, some.end(), [&](double step) { return step - *first > rounding; });
    if (end - first > frequent) {
      if (*first - before > rounding) tick = std::min(tick, *first - before);
      before = *first;
    }
    first = end;
  }
  return tick;
}

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
  const double largest = std::max(std::abs(times.front()), std::abs(times.back()));
  const double rounding = std::max(1e-15 * largest, 1e-6 * steps.usual);
  const auto is_usual = [&](double step) { return std::abs(step - steps.usual) <= rounding; };
  steps.alike = static_cast<double>(std::ranges::count_if(some, is_usual)) / static_cast<double>(some.size());
  steps.tick = tick_of(std::move(some), rounding);
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

// Returns the time of one row by the first and the last one, and by the rows that are missing between them.
double period_of_all(std::span<const double> times, const std::vector<MissingRows>& missing) {
  double samples = static_cast<double>(times.size() - 1);
  for (const auto& gap : missing) samples += static_cast<double>(gap.samples);
  return (times.back() - times.front()) / samples;
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
TimeAxis measured_axis(std::span<const double> times, Unit unit, const Steps& steps, double period, double jump) {
  TimeAxis axis;
  if (!(period > 0)) return axis;
  const auto jumps = rows_behind_jumps(times, jump);
  const auto missing = JumpMeter(times, jumps, period, steps.usual).measure();
  const bool coarse = 2 * steps.count < std::ssize(times);
  const double measured = period_of_steps(times, missing, coarse);
  period = measured > 0 ? measured : period_of_steps(times, missing, false);
  const double hz = unit.hz(period);
  if (!(hz > kLowest_hz && hz < kHighest_hz)) return axis;
  axis.rate_hz = plain_rate(hz);
  period = unit.period(axis.rate_hz);
  axis.missing = JumpMeter(times, jumps, period, steps.usual).measure();
  if (const double refined = unit.hz(period_of_all(times, axis.missing));
      !coarse && !axis.missing.empty() && std::abs(refined / axis.rate_hz - 1) <= kRefined) {
    axis.rate_hz = plain_rate(refined);
    period = unit.period(axis.rate_hz);
  }
  axis.uneven = compare_with_clock(times, {period, unit.s, steps.usual, axis.missing});
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
bool is_on_grid(std::span<const double> times, double period, const TimeAxis& axis) {
  double off = 0;
  auto jump = axis.missing.begin();
  for (std::int64_t row = 1; row < std::ssize(times); ++row) {
    const bool jumps = jump != axis.missing.end() && jump->before_row == row;
    const double samples = 1 + (jumps ? static_cast<double>((jump++)->samples) : 0);
    off += std::abs((times[row] - times[row - 1]) / period - samples);
  }
  return off <= kOffGrid * static_cast<double>(times.size() - 1);
}

// Returns the axis of times on a grid from which rows are missing; nothing for other times.
std::optional<TimeAxis> axis_on_grid(std::span<const double> times, Unit unit, Steps steps) {
  std::vector<double> usual_steps{steps.usual};
  if (steps.small < steps.usual) usual_steps.push_back(steps.small);
  for (const double usual : usual_steps) {
    steps.usual = usual;
    const double period = mean_of_steps_up_to(times, kJump * usual);
    if (!may_be_on_grid(times, period)) continue;
    TimeAxis axis = measured_axis(times, unit, steps, period, kJump * usual);
    if (axis.rate_hz > 0 && axis.uneven.distance_s == 0 && is_on_grid(times, unit.period(axis.rate_hz), axis))
      return axis;
  }
  return std::nullopt;
}

// Returns the axis of times that jitter by more than a sample: only a jump of more than a second is one. Returns
// nothing if that does not make an even clock.
std::optional<TimeAxis> axis_of_jitter(std::span<const double> times, Unit unit, const Steps& steps) {
  const double jump = std::max(kJump * steps.usual, kLongGap_s / unit.s);
  TimeAxis axis = measured_axis(times, unit, steps, period_of_spans(times, steps), jump);
  if (axis.rate_hz == 0 || axis.uneven.distance_s > 0) return std::nullopt;
  axis.jitters = true;
  return axis;
}

// Returns the axis of a coarse clock with lost rows; nothing for other times.
std::optional<TimeAxis> axis_of_coarse(std::span<const double> times, Unit unit, const Steps& steps) {
  auto fit = fit_coarse_clock(times, unit.s, unit.rows);
  if (!fit || !(fit->rate_hz > kLowest_hz && fit->rate_hz < kHighest_hz)) return std::nullopt;
  TimeAxis axis;
  axis.rate_hz = plain_rate(fit->rate_hz);
  axis.rate_error_hz = fit->rate_error_hz;
  axis.tick_s = fit->tick_s;
  axis.missing = std::move(fit->missing);
  axis.uneven = compare_with_clock(times, {unit.period(axis.rate_hz), unit.s, steps.usual, axis.missing});
  return axis;
}

// Returns whether the times leave an even clock by more than the step of their own clock, as lost rows make them.
// Without a clock of their own that step is the period of the samples. It may still be that of a clock to which even
// rows are rounded: if they come in packets, if it is a power of ten in seconds, or if it is a whole number of
// microseconds and the even rate is whole.
bool may_lose_single_rows(const TimeAxis& axis, const Steps& steps, Unit unit) {
  if (axis.uneven.spread > kTicks * steps.small || axis.uneven.spread > kOwnTicks * steps.tick) return true;
  if (steps.usual >= kTicks * steps.tick || unit.rows > 1) return steps.usual >= kTicks * steps.tick;
  const double tick_us = steps.tick * unit.s * 1e6, digits = std::log10(tick_us);
  const bool may_be_clock = std::abs(tick_us - std::round(tick_us)) <= kOffClock_us;
  return !(may_be_clock && axis.rate_hz == std::round(axis.rate_hz)) &&
         std::abs(digits - std::round(digits)) > kOffDigits;
}

// Returns the axis of rows from which single ones are missing throughout; nothing for others. The step of a clock is
// taken for the period of the samples only if the ticks of that clock allow such a rate, and if it is the usual step:
// steps of several ticks throughout are those of slower rows that jitter.
std::optional<TimeAxis> axis_of_lost_rows(std::span<const double> times, Unit unit, const Steps& steps) {
  auto grid = axis_on_grid(times, unit, steps), coarse = axis_of_coarse(times, unit, steps);
  if (grid && steps.usual > kOneStep * unit.period(grid->rate_hz)) grid.reset();
  const bool is_allowed = grid && coarse && std::abs(grid->rate_hz - coarse->rate_hz) <= coarse->rate_error_hz;
  return coarse && !is_allowed ? std::move(coarse) : std::move(grid);
}

TimeAxis axis_of_rows(std::span<const double> times, Unit unit) {
  const Steps steps = steps_of(times);
  const std::int64_t rows = std::ssize(times), repeats = rows - 1 - steps.count;
  const bool repeat = repeats > std::max<std::int64_t>(rows / kRepeated, 1);
  const bool is_ticking = unit.rows > 1 && steps.usual < kTicks * steps.tick && steps.alike < kEqualSteps;
  if (repeat || is_ticking)
    if (auto coarse = axis_of_coarse(times, unit, steps)) return *std::move(coarse);
  TimeAxis axis = measured_axis(times, unit, steps, period_of_spans(times, steps), kJump * steps.usual);
  if (axis.rate_hz == 0) return axis;
  const bool is_uneven = axis.uneven.distance_s > 0;
  const bool early_and_late = repeat && std::ssize(axis.missing) > (unit.rows > 1 ? 0 : rows / kUnplaced);
  std::optional<TimeAxis> better;
  if (!repeat && (is_uneven || (axis.unplaced > rows / kUnplaced && may_lose_single_rows(axis, steps, unit))))
    better = axis_of_lost_rows(times, unit, steps);
  if (!better && (is_uneven || early_and_late)) better = axis_of_jitter(times, unit, steps);
  if (better) axis = std::move(*better);
  if (steps.count + 1 < rows && steps.usual < kJump * unit.period(axis.rate_hz)) find_repeats(times, axis);
  return axis;
}

TimeAxis axis_of_known(std::span<double> times, double unit_s) {
  fill_in(times);
  const auto back = std::ranges::adjacent_find(times, std::greater());
  if (back != times.end()) {
    TimeAxis axis;
    axis.first_step_back = back - times.begin() + 1;
    return axis;
  }
  const auto packets = packet_times(times);
  if (!packets) return axis_of_rows(times, {unit_s});
  TimeAxis axis = axis_of_rows(packets->times, {unit_s, packets->rows});
  for (auto& missing : axis.missing) {
    missing.before_row = packets->first + missing.before_row * packets->rows;
    missing.samples =
        std::min(missing.samples, static_cast<std::int64_t>(kMostMissing_samples) / packets->rows) * packets->rows;
  }
  axis.uneven.row = packets->first + axis.uneven.row * packets->rows;
  axis.repeats = 0, axis.first_repeat = TimeAxis::kNone;
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
