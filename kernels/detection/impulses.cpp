#include "kernels/detection/impulses.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

struct Extremes {
  double low, high;
};

// A deflection that begins at a sample.
struct Deflection {
  std::int64_t tip;
  double jump, over_rest, height;
};

// Item k is a beat.
struct LookForImpulse {
  const float* x;
  std::int64_t samples;
  const double* r_peaks;
  ImpulseRule rule;
  Impulse* impulses;

  // Returns the extremes over first .. last, both included.
  BEATSCAN_HOST_DEVICE Extremes extremes(std::int64_t first, std::int64_t last) const {
    float low = x[first], high = low;
    for (std::int64_t n = first + 1; n <= last; ++n) {
      low = x[n] < low ? x[n] : low;
      high = x[n] > high ? x[n] : high;
    }
    return {low, high};
  }
  // Returns the sample of the largest x, or of the least if the side is -1, from t on.
  BEATSCAN_HOST_DEVICE std::int64_t tip_from(std::int64_t t, double side) const {
    std::int64_t tip = t;
    for (std::int64_t n = t + 1; n <= t + rule.top; ++n)
      if (side * x[n] > side * x[tip]) tip = n;
    return tip;
  }
  // Returns how far x falls behind the tip, within some samples.
  BEATSCAN_HOST_DEVICE double fall_behind(std::int64_t tip, std::int64_t within, double side) const {
    const Extremes its = extremes(tip, tip + within);
    return side * x[tip] - (side > 0 ? its.low : -its.high);
  }
  // Returns the deflection that begins at t if its jump is larger than `least`; else one without a jump.
  BEATSCAN_HOST_DEVICE Deflection deflection_at(std::int64_t t, double range, double least) const {
    constexpr Deflection kNone{0, 0, 0, 0};
    const double after = x[t + rule.lag];
    if (fabs(after - x[t]) <= least) return kNone;  // the jump is not larger than that
    const Extremes before = extremes(t - rule.before, t);
    const double side = after - before.high >= before.low - after ? 1 : -1, base = side > 0 ? before.high : -before.low,
                 jump = side * after - base, least_rest = rule.least_rest * range, moves = before.high - before.low,
                 rest = moves > least_rest ? moves : least_rest;
    if (jump <= least || jump < rule.of_rest * rest || jump < rule.of_range * range) return kNone;
    const std::int64_t tip = tip_from(t, side);
    const double height = side * x[tip] - base;
    if (jump < rule.rise * height || fall_behind(tip, rule.fall, side) < rule.falls * height ||
        fall_behind(tip, rule.over, side) > rule.overshoot * height)
      return kNone;
    return {tip, jump, jump / rest, height};
  }
  // Adds what comes behind the tip.
  BEATSCAN_HOST_DEVICE void look_behind(const Deflection& found, Impulse& impulse) const {
    std::int64_t next = found.tip + rule.behind;
    double most = -1;
    for (std::int64_t n = next; n < found.tip + rule.reach; ++n) {
      const double change = fabs(static_cast<double>(x[n + rule.change]) - static_cast<double>(x[n]));
      if (change > most) next = n, most = change;
    }
    impulse.next = static_cast<float>(next - found.tip) + 0.5F * static_cast<float>(rule.change);
    impulse.next_change = static_cast<float>(most / found.height);
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t k) const {
    const auto r_peak = static_cast<std::int64_t>(r_peaks[k] + 0.5);
    const std::int64_t first = r_peak + rule.from, last = r_peak + rule.to - 1, behind = rule.reach + rule.change,
                       most = behind > rule.over ? behind : rule.over,
                       tail = rule.top + (most > rule.fall ? most : rule.fall);
    impulses[k] = {NAN, NAN, NAN, NAN, NAN};
    if (first < rule.before || r_peak < rule.around || r_peak + rule.around >= samples || last + rule.lag >= samples ||
        last + tail >= samples)
      return;
    const Extremes near = extremes(r_peak - rule.around, r_peak + rule.around);
    Deflection found{0, 0, 0, 0};
    for (std::int64_t t = first; t <= last; ++t) {
      const Deflection its = deflection_at(t, near.high - near.low, found.jump);
      if (its.jump > found.jump) found = its;
    }
    if (found.jump <= 0) return;
    impulses[k] = {static_cast<float>(found.tip - r_peak), static_cast<float>(found.over_rest),
                   static_cast<float>(found.jump / found.height), 0, 0};
    look_behind(found, impulses[k]);
  }
};

}  // namespace

void find_impulses(BackEnd& context, std::span<const float> samples, std::span<const double> r_peaks,
                   const ImpulseRule& rule, std::span<Impulse> impulses) {
  BEATSCAN_EXPECTS(r_peaks.size() == impulses.size() && rule.from < rule.to && rule.before > 0 && rule.lag > 0 &&
                       rule.top > 0 && rule.fall > 0 && rule.over > 0 && rule.around > 0 && rule.behind > 0 &&
                       rule.behind < rule.reach && rule.change > 0,
                   "find_impulses: bad shape or rule");
  each(context, std::ssize(r_peaks),
       LookForImpulse{samples.data(), std::ssize(samples), r_peaks.data(), rule, impulses.data()});
}

}  // namespace beatscan
