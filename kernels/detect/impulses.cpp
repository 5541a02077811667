#include "kernels/detect/impulses.h"

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
  std::int64_t apex;
  double jump, over_rest, height;
};

// Searches one lead.
struct ImpulseSearch {
  const float* x;
  std::int64_t samples;
  const double* r_peaks;
  ImpulseRule rule;

  // Returns the extremes over first .. last, both included.
  BEATSCAN_HOST_DEVICE Extremes extremes(std::int64_t first, std::int64_t last) const {
    float low = x[first], high = low;
    for (std::int64_t n = first + 1; n <= last; ++n) {
      low = x[n] < low ? x[n] : low;
      high = x[n] > high ? x[n] : high;
    }
    return {low, high};
  }
  // Returns the sample of the largest x from t on, or of the smallest if the side is -1.
  BEATSCAN_HOST_DEVICE std::int64_t apex_from(std::int64_t t, double side) const {
    std::int64_t apex = t;
    for (std::int64_t n = t + 1; n <= t + rule.top; ++n)
      if (side * x[n] > side * x[apex]) apex = n;
    return apex;
  }
  // Returns how far x falls after the apex, within some samples.
  BEATSCAN_HOST_DEVICE double fall_behind(std::int64_t apex, std::int64_t within, double side) const {
    const Extremes its = extremes(apex, apex + within);
    return side * x[apex] - (side > 0 ? its.low : -its.high);
  }
  // Returns the smallest step between two samples of first .. last that is not 0; 0 if there is none.
  BEATSCAN_HOST_DEVICE double smallest_step(std::int64_t first, std::int64_t last) const {
    double smallest = 0;
    for (std::int64_t n = first; n < last; ++n) {
      const double step = fabs(static_cast<double>(x[n + 1]) - static_cast<double>(x[n]));
      if (step > 0 && (smallest == 0 || step < smallest)) smallest = step;
    }
    return smallest;
  }
  // Returns the deflection that begins at t; one without a jump where none does.
  BEATSCAN_HOST_DEVICE Deflection deflection_at(std::int64_t t, const Extremes& near, double least_rest) const {
    constexpr Deflection kNone{0, 0, 0, 0};
    const Extremes before = extremes(t - rule.before, t);
    const double after = x[t + rule.lag], side = after - before.high >= before.low - after ? 1 : -1,
                 base = side > 0 ? before.high : -before.low, jump = side * after - base,
                 moves = before.high - before.low, rest = moves > least_rest ? moves : least_rest;
    if (jump <= 0 || jump < rule.of_rest * rest || jump < rule.of_range * (near.high - near.low)) return kNone;
    if (moves == 0 && (before.low == near.low || before.high == near.high)) return kNone;
    const std::int64_t apex = apex_from(t, side);
    const double height = side * x[apex] - base;
    if (jump < rule.rise * height || fall_behind(apex, rule.fall, side) < rule.falls * height ||
        fall_behind(apex, rule.over, side) > rule.overshoot * height)
      return kNone;
    return {apex, jump, jump / rest, height};
  }
  // Adds what follows the apex.
  BEATSCAN_HOST_DEVICE void look_behind(const Deflection& found, Impulse& impulse) const {
    std::int64_t next = found.apex + rule.behind;
    double most = -1;
    for (std::int64_t n = next; n < found.apex + rule.reach; ++n) {
      const double change = fabs(static_cast<double>(x[n + rule.change]) - static_cast<double>(x[n]));
      if (change > most) next = n, most = change;
    }
    impulse.next = static_cast<float>(next - found.apex) + 0.5F * static_cast<float>(rule.change);
    impulse.next_change = static_cast<float>(most / found.height);
  }
  BEATSCAN_HOST_DEVICE std::int64_t r_peak_of(std::int64_t k) const {
    return static_cast<std::int64_t>(r_peaks[k] + 0.5);
  }
  // Returns the deflection of a beat; one without a jump if there is none.
  BEATSCAN_HOST_DEVICE Deflection strongest(std::int64_t k) const {
    const std::int64_t r_peak = r_peak_of(k), first = r_peak + rule.from, last = r_peak + rule.to - 1,
                       behind = rule.reach + rule.change, most = behind > rule.over ? behind : rule.over,
                       tail = rule.top + (most > rule.fall ? most : rule.fall);
    Deflection found{0, 0, 0, 0};
    if (first < rule.before || r_peak < rule.around || r_peak + rule.around >= samples || last + tail >= samples)
      return found;
    const Extremes near = extremes(r_peak - rule.around, r_peak + rule.around);
    const double range = near.high - near.low, of_range = rule.least_rest * range,
                 step = smallest_step(r_peak - rule.around, r_peak + rule.around),
                 least_rest = step > of_range ? step : of_range;
    for (std::int64_t t = first; t <= last; ++t) {
      const double least = found.jump > 0 ? found.jump : rule.of_range * range;
      if (fabs(static_cast<double>(x[t + rule.lag]) - static_cast<double>(x[t])) < least) continue;
      const Deflection its = deflection_at(t, near, least_rest);
      if (its.jump > found.jump) found = its;
    }
    return found;
  }
  BEATSCAN_HOST_DEVICE Impulse impulse(std::int64_t k) const {
    const Deflection found = strongest(k);
    if (found.jump <= 0) return {NAN, NAN, NAN, NAN, NAN};
    Impulse its{static_cast<float>(found.apex - r_peak_of(k)), static_cast<float>(found.over_rest),
                static_cast<float>(found.jump / found.height), 0, 0};
    look_behind(found, its);
    return its;
  }
};

// Item k is a beat.
struct MarkImpulse {
  ImpulseSearch search;
  std::uint8_t* marked;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t k) const { marked[k] = search.strongest(k).jump > 0; }
};
struct FindImpulse {
  ImpulseSearch search;
  Impulse* impulses;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t k) const { impulses[k] = search.impulse(k); }
};

ImpulseSearch search_of(std::span<const float> samples, std::span<const double> r_peaks, const ImpulseRule& rule,
                        std::size_t beats) {
  BEATSCAN_EXPECTS(r_peaks.size() == beats && rule.from < rule.to && rule.before > 0 && rule.lag > 0 &&
                       rule.lag <= rule.top && rule.fall > 0 && rule.over > 0 && rule.around > 0 && rule.behind > 0 &&
                       rule.behind < rule.reach && rule.change > 0,
                   "impulses: bad shape or rule");
  return {samples.data(), std::ssize(samples), r_peaks.data(), rule};
}

}  // namespace

void mark_impulses(BackEnd& context, std::span<const float> samples, std::span<const double> r_peaks,
                   const ImpulseRule& rule, std::span<std::uint8_t> marked) {
  each(context, std::ssize(r_peaks), MarkImpulse{search_of(samples, r_peaks, rule, marked.size()), marked.data()});
}

void find_impulses(BackEnd& context, std::span<const float> samples, std::span<const double> r_peaks,
                   const ImpulseRule& rule, std::span<Impulse> impulses) {
  each(context, std::ssize(r_peaks), FindImpulse{search_of(samples, r_peaks, rule, impulses.size()), impulses.data()});
}

}  // namespace beatscan
