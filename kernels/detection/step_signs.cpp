#include "kernels/detection/step_signs.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

// A lead that keeps its end values beyond its ends.
struct EndlessLead {
  const float* samples;
  std::int64_t last, step;

  BEATSCAN_HOST_DEVICE float at(std::int64_t n) const { return samples[n < 0 ? 0 : n > last ? last : n]; }
  BEATSCAN_HOST_DEVICE float change(std::int64_t n) const { return at(n + step) - at(n); }
};

struct LookForLargest {
  EndlessLead x;
  const std::int64_t* places;
  std::int64_t near;
  float* changes;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t k) const {
    float largest = 0;
    for (std::int64_t n = places[k] - near; n <= places[k] + near; ++n) {
      const float change = fabsf(x.change(n));
      largest = change > largest ? change : largest;
    }
    changes[k] = largest;
  }
};

struct LookForStep {
  EndlessLead x;
  const std::int64_t* r_peaks;
  StepRule rule;
  double usual;
  StepSign* signs;

  // Returns the first sample of the steepest step.
  BEATSCAN_HOST_DEVICE std::int64_t steepest(std::int64_t r_peak) const {
    std::int64_t at = r_peak - rule.near;
    float largest = fabsf(x.change(at));
    for (std::int64_t n = at + 1; n + rule.step <= r_peak + rule.near; ++n)
      if (const float change = fabsf(x.change(n)); change > largest) at = n, largest = change;
    return at;
  }
  BEATSCAN_HOST_DEVICE double range_around(std::int64_t at) const {
    float least = x.at(at), most = least;
    for (std::int64_t n = at - rule.before; n <= at + rule.step + rule.after; ++n) {
      const float value = x.at(n);
      least = value < least ? value : least;
      most = value > most ? value : most;
    }
    return static_cast<double>(most) - static_cast<double>(least);
  }
  // Returns the largest change that is no part of the step: it goes the other way, or lies beside the step.
  BEATSCAN_HOST_DEVICE double largest_beside(std::int64_t at) const {
    const bool falls = x.change(at) < 0;
    double largest = 0;
    for (std::int64_t n = at - rule.before; n <= at + rule.after; ++n) {
      const double change = static_cast<double>(x.change(n)), size = fabs(change);
      const bool is_beside = n < at - rule.step || n >= at + rule.step;
      if ((is_beside || (falls ? change > 0 : change < 0)) && size > largest) largest = size;
    }
    return largest;
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t k) const {
    const std::int64_t at = steepest(r_peaks[k]);
    const double size = fabs(static_cast<double>(x.change(at)));
    const bool is_step =
        size > 0 && size >= rule.of_range * range_around(at) && largest_beside(at) <= rule.beside * size;
    if (is_step && size > rule.of_usual * usual)
      signs[k] = StepSign::step;
    else
      signs[k] = size > rule.like_usual * usual ? StepSign::much : StepSign::little;
  }
};

EndlessLead endless(std::span<const float> samples, std::int64_t step) {
  return {samples.data(), std::ssize(samples) - 1, step};
}

}  // namespace

void largest_changes(BackEnd& context, std::span<const float> samples, std::span<const std::int64_t> places,
                     std::int64_t step, std::int64_t near, std::span<float> changes) {
  BEATSCAN_EXPECTS(places.size() == changes.size() && !samples.empty(), "largest_changes: bad shape");
  each(context, std::ssize(places), LookForLargest{endless(samples, step), places.data(), near, changes.data()});
}

void step_signs(BackEnd& context, std::span<const float> samples, std::span<const std::int64_t> r_peaks,
                const StepRule& rule, double usual, std::span<StepSign> signs) {
  BEATSCAN_EXPECTS(r_peaks.size() == signs.size() && !samples.empty() && 0 < rule.step && rule.step <= rule.near &&
                       rule.before >= 0 && rule.after >= 0,
                   "step_signs: bad shape or rule");
  each(context, std::ssize(r_peaks),
       LookForStep{endless(samples, rule.step), r_peaks.data(), rule, usual, signs.data()});
}

}  // namespace beatscan
