#include "kernels/rhythm/early_beats.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/rounded.h"

namespace beatscan {
namespace {

constexpr int kChanges = 3;                               // RR intervals that an interval is compared with
constexpr double kMostLate = 0.5;                         // a longer pause after a beat says no more
constexpr double kLeastAbrupt = -0.3, kMostAbrupt = 0.2;  // range of the term for a sudden change
constexpr double kNormalMad = 1.4826;                     // standard deviation of a normal distribution over its MAD

BEATSCAN_HOST_DEVICE bool is_known(double value) { return value - value == 0; }

// Returns the value within a range; 0 if it is not known.
BEATSCAN_HOST_DEVICE double clipped(double value, double low, double high) {
  if (!is_known(value)) return 0;
  return value < low ? low : value > high ? high : value;
}

struct JudgeEarly {
  const double *rr, *reference, *deviation;
  const std::uint8_t *aside, *before;
  std::int64_t beats;
  EarlyRule rule;
  std::uint8_t* early;

  // Returns how much shorter the interval is than the one before. After a beat that was set aside the term is 0.
  // After an early beat it is not negative.
  BEATSCAN_HOST_DEVICE double abrupt(std::int64_t i) const {
    if (i == 0 || aside[i - 1]) return 0;
    const double term = clipped(1 - rr[i] / rr[i - 1], kLeastAbrupt, kMostAbrupt);
    return before[i - 1] && term < 0 ? 0 : term;
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const double usual = reference[2 * i], sooner = 1 - rr[i] / usual;
    const double late = i + 1 < beats ? clipped(rr[i + 1] / usual - 1, 0, kMostLate) : 0;
    const double sum = plus_product(plus_product(sooner, rule.late_weight, late), rule.abrupt_weight, abrupt(i));
    const double scatter = rule.scatter * (kNormalMad * deviation[2 * i]);
    early[i] = !aside[i] && sooner > rule.least_early && sum > rule.least_sum && sum > scatter;
  }
};

}  // namespace

void rr_intervals(BackEnd& context, std::span<const double> r_peaks, std::span<const std::uint8_t> broken,
                  std::span<double> rr) {
  BEATSCAN_EXPECTS(r_peaks.size() == rr.size() && broken.size() + !rr.empty() == rr.size(), "rr_intervals: bad shape");
  each(context, std::ssize(rr),
       [r_peaks = r_peaks.data(), broken = broken.data(), rr = rr.data()] BEATSCAN_DEVICE(std::int64_t i) {
         rr[i] = i > 0 && !broken[i - 1] ? r_peaks[i] - r_peaks[i - 1] : static_cast<double>(NAN);
       });
}

void first_of_pairs(BackEnd& context, std::span<const double> pairs, std::span<double> firsts) {
  BEATSCAN_EXPECTS(pairs.size() == 2 * firsts.size(), "first_of_pairs: bad shape");
  each(context, std::ssize(firsts),
       [pairs = pairs.data(), firsts = firsts.data()] BEATSCAN_DEVICE(std::int64_t i) { firsts[i] = pairs[2 * i]; });
}

void places_before(BackEnd& context, std::span<const std::int64_t> places, std::span<std::int64_t> before) {
  const std::int64_t count = std::ssize(places);
  each(context, std::ssize(before),
       [=, places = places.data(), before = before.data()] BEATSCAN_DEVICE(std::int64_t i) {
         before[i] = first_not_below(places, count, i);
       });
}

void rr_changes(BackEnd& context, std::span<const double> rr, std::span<const double> local, std::span<double> changes,
                std::span<std::uint8_t> known) {
  BEATSCAN_EXPECTS(local.size() == 2 * rr.size() && changes.size() == rr.size() && known.size() == rr.size(),
                   "rr_changes: bad shape");
  each(context, std::ssize(rr),
       [rr = rr.data(), local = local.data(), changes = changes.data(),
        known = known.data()] BEATSCAN_DEVICE(std::int64_t i) {
         double least = INFINITY;
         for (int j = 1; j <= kChanges && j <= i; ++j) {
           const double change = fabs(rr[i] - rr[i - j]);
           if (change < least) least = change;
         }
         changes[i] = least / local[2 * i];
         known[i] = is_known(changes[i]);
       });
}

void first_early(BackEnd& context, std::span<const double> rr, std::span<const double> local,
                 std::span<const double> changes, std::span<const float> prev_ratio, FirstEarlyRule rule,
                 std::span<std::uint8_t> early) {
  BEATSCAN_EXPECTS(local.size() == 2 * rr.size() && changes.size() == 2 * rr.size() && prev_ratio.size() == rr.size() &&
                       early.size() == rr.size(),
                   "first_early: bad shape");
  each(context, std::ssize(rr),
       [=, rr = rr.data(), local = local.data(), changes = changes.data(), prev_ratio = prev_ratio.data(),
        early = early.data()] BEATSCAN_DEVICE(std::int64_t i) {
         const double limit = plus_product(1, -rule.change, changes[2 * i]);
         const double near = rr[i] / local[2 * i], far = static_cast<double>(prev_ratio[i]);
         early[i] = (near < rule.local && near < limit) || (far < rule.recording && far < limit);
       });
}

void accept_intervals(BackEnd& context, std::span<const double> rr, std::span<const std::uint8_t> aside,
                      std::span<const std::uint8_t> early, std::span<std::uint8_t> accepted) {
  BEATSCAN_EXPECTS(
      aside.size() == rr.size() && accepted.size() == rr.size() && (early.empty() || early.size() == rr.size()),
      "accept_intervals: bad shape");
  each(context, std::ssize(rr),
       [rr = rr.data(), aside = aside.data(), early = early.empty() ? nullptr : early.data(),
        accepted = accepted.data()] BEATSCAN_DEVICE(std::int64_t i) {
         accepted[i] = i > 0 && is_known(rr[i]) && !aside[i] && !aside[i - 1] &&
                       (early == nullptr || (!early[i] && !early[i - 1]));
       });
}

void rr_deviations(BackEnd& context, std::span<const double> rr, std::span<const double> reference,
                   std::span<const std::int64_t> places, std::span<double> deviations) {
  BEATSCAN_EXPECTS(reference.size() == 2 * rr.size() && places.size() == deviations.size(), "rr_deviations: bad shape");
  each(context, std::ssize(places),
       [rr = rr.data(), reference = reference.data(), places = places.data(),
        deviations = deviations.data()] BEATSCAN_DEVICE(std::int64_t m) {
         deviations[m] = fabs(rr[places[m]] / reference[2 * places[m]] - 1);
       });
}

void judge_early(BackEnd& context, const EarlyFacts& facts, EarlyRule rule, std::span<std::uint8_t> early) {
  const std::size_t beats = early.size();
  BEATSCAN_EXPECTS(facts.rr.size() == beats && facts.reference.size() == 2 * beats &&
                       facts.deviation.size() == 2 * beats && facts.aside.size() == beats &&
                       facts.early.size() == beats,
                   "judge_early: bad shape");
  each(context, std::ssize(early),
       JudgeEarly{facts.rr.data(), facts.reference.data(), facts.deviation.data(), facts.aside.data(),
                  facts.early.data(), static_cast<std::int64_t>(beats), rule, early.data()});
}

}  // namespace beatscan
