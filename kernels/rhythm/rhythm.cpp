#include "kernels/rhythm/rhythm.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/detect/median.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {

namespace {

static_assert(kMostMedianReach == kMaxReach);

struct RunningMedians {
  const double* x;
  std::int64_t count;
  int reach;
  double* medians;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    FewSorted<double> window;
    for (std::int64_t j = i - reach; j <= i + reach; ++j) window.add(x[j < 0 ? 0 : j < count ? j : count - 1]);
    medians[i] = window.median();
  }
};

}  // namespace

void running_medians(BackEnd& context, std::span<const double> x, int reach, std::span<double> medians) {
  BEATSCAN_EXPECTS(medians.size() == x.size() && 0 <= reach && reach <= kMostMedianReach,
                   "running_medians: bad shape or reach");
  each(context, std::ssize(x), RunningMedians{x.data(), std::ssize(x), reach, medians.data()});
}

namespace {

struct JudgeRhythm {
  const double* r_peaks;
  std::int64_t beats;
  const std::uint8_t *broken, *trusted;
  const double* local;
  double tolerance;
  float *prev_ratio, *next_ratio;
  double *early, *late;
  std::uint8_t* regular;

  BEATSCAN_HOST_DEVICE static bool is_near(double rr, double median, double tolerance) {
    return rr >= median / tolerance && rr <= median * tolerance;
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const double reference = local[2 * i], median = local[2 * i + 1];
    const double prev = i > 0 && !broken[i - 1] ? r_peaks[i] - r_peaks[i - 1] : static_cast<double>(NAN);
    const double next = i + 1 < beats && !broken[i] ? r_peaks[i + 1] - r_peaks[i] : static_cast<double>(NAN);
    early[i] = -log(prev / reference);
    late[i] = log(next / reference);
    prev_ratio[i] = static_cast<float>(prev / reference);
    next_ratio[i] = static_cast<float>(next / reference);
    regular[i] = trusted[i] && is_near(prev, median, tolerance) && is_near(next, median, tolerance);
  }
};

JudgeRhythm judge(const BeatTimes& times, double tolerance, const BeatRhythm& rhythm) {
  const std::size_t beats = times.r_peaks.size();
  BEATSCAN_EXPECTS(times.broken.size() + (beats > 0) == beats && times.trusted.size() == beats &&
                       times.local.size() == 2 * beats && rhythm.prev_ratio.size() == beats &&
                       rhythm.next_ratio.size() == beats && rhythm.early.size() == beats &&
                       rhythm.late.size() == beats && rhythm.regular.size() == beats,
                   "judge_rhythm: bad shape");
  return {times.r_peaks.data(),     static_cast<std::int64_t>(beats),
          times.broken.data(),      times.trusted.data(),
          times.local.data(),       tolerance,
          rhythm.prev_ratio.data(), rhythm.next_ratio.data(),
          rhythm.early.data(),      rhythm.late.data(),
          rhythm.regular.data()};
}

struct RhythmScore {
  const double *early, *late;
  RhythmTerm early_term, late_term;
  float* score;

  BEATSCAN_HOST_DEVICE static float value(const RhythmTerm& term, double x) {
    if (!(x - x == 0)) return 0;  // not finite
    const double z = (x - term.middle) / term.scale;
    return static_cast<float>(term.weight) * static_cast<float>(z < 0 ? 0 : z < term.cap ? z : term.cap);
  }
  // Keeps the compiler from fusing a product with the addition, which would give other bits.
  BEATSCAN_HOST_DEVICE static float sum(float a, float b) {
#ifdef __CUDA_ARCH__
    return __fadd_rn(a, b);
#else
    return a + b;
#endif
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    score[i] = sum(value(early_term, early[i]), value(late_term, late[i]));
  }
};

}  // namespace

void known_intervals(BackEnd& context, std::span<const double> r_peaks, std::span<const std::int64_t> known,
                     std::span<double> intervals, std::span<std::int64_t> before) {
  BEATSCAN_EXPECTS(before.size() == r_peaks.size() && intervals.size() == known.size() &&
                       (known.empty() || known.size() < r_peaks.size()),
                   "known_intervals: bad shape");
  const std::int64_t known_count = std::ssize(known);
  each(context, std::ssize(r_peaks),
       [=, r_peaks = r_peaks.data(), known = known.data(), intervals = intervals.data(),
        before = before.data()] BEATSCAN_DEVICE(std::int64_t i) {
         if (i < known_count) intervals[i] = r_peaks[known[i] + 1] - r_peaks[known[i]];
         before[i] = first_not_below(known, known_count, i);
       });
}

void judge_rhythm(BackEnd& context, const BeatTimes& times, double tolerance, BeatRhythm rhythm) {
  each(context, std::ssize(times.r_peaks), judge(times, tolerance, rhythm));
}

void rhythm_scores(BackEnd& context, std::span<const double> early, RhythmTerm early_term, std::span<const double> late,
                   RhythmTerm late_term, std::span<float> score) {
  BEATSCAN_EXPECTS(early.size() == score.size() && late.size() == score.size(), "rhythm_scores: bad shape");
  each(context, std::ssize(score), RhythmScore{early.data(), late.data(), early_term, late_term, score.data()});
}

void raise_pause_scores(BackEnd& context, std::span<const double> r_peaks, std::span<const std::uint8_t> pauses,
                        std::span<const double> early, const PauseRule& rule, std::span<float> score) {
  BEATSCAN_EXPECTS(r_peaks.size() == score.size() && early.size() == score.size() &&
                       (pauses.empty() || pauses.size() + 1 == score.size()),
                   "raise_pause_scores: bad shape");
  const double least_log = std::log(rule.least_ratio);
  each(context, std::ssize(score),
       [=, least = rule.least, term = rule.term, r_peaks = r_peaks.data(), early = early.data(),
        pauses = pauses.empty() ? nullptr : pauses.data(), score = score.data()] BEATSCAN_DEVICE(std::int64_t i) {
         // An interval that is not known has no `early`, and fails the second comparison.
         if (i == 0 || (pauses && !pauses[i - 1]) || r_peaks[i] - r_peaks[i - 1] < least || !(-early[i] >= least_log))
           return;
         const float least_score = RhythmScore::value(term, -early[i]);
         if (score[i] < least_score) score[i] = least_score;
       });
}

}  // namespace beatscan
