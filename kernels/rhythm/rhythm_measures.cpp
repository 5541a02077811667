#include "kernels/rhythm/rhythm_measures.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/lists/running.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

namespace {

constexpr double kShortestRr = 0.2, kLongestRr = 3;  // seconds
constexpr double kLongestRunBeats = 8;
constexpr std::int64_t kMeasureGrain = 1024;

BEATSCAN_HOST_DEVICE bool exists(double value) { return value - value == 0; }

// Returns the value within `least` .. `most`; NaN of NaN.
BEATSCAN_HOST_DEVICE double within(double value, double least, double most) {
  return value < least ? least : most < value ? most : value;
}

// Returns 0 at `start`, 1 at `end` and in between in proportion; NaN of NaN.
BEATSCAN_HOST_DEVICE double share_of_way(double value, double start, double end) {
  return within((value - start) / (end - start), 0, 1);
}

// Computes the measures of a beat. The parts of MeasureInputs that are empty are null.
struct MeasureBeat {
  std::int64_t beats;
  const float *rr_s, *posteriors, *p_evidence, *pr_ms, *non_conducted_p, *qrs_ms_ratio;
  const double *rr_median, *pr_median;  // [K]
  float* measures;
  std::int16_t rows[kBeatMeasures] = {};

  static constexpr int kClasses = 4, kN = 0, kS = 1, kV = 2, kX = 3;

  // Returns the nearest place that exists.
  BEATSCAN_HOST_DEVICE std::int64_t place(std::int64_t at) const { return at < 0 ? 0 : at < beats ? at : beats - 1; }
  BEATSCAN_HOST_DEVICE static double value(const float* column, std::int64_t i) {
    return column ? static_cast<double>(column[i]) : static_cast<double>(NAN);
  }
  BEATSCAN_HOST_DEVICE double rr(std::int64_t at) const { return within(rr_s[place(at)], kShortestRr, kLongestRr); }
  BEATSCAN_HOST_DEVICE double ratio(std::int64_t at) const {
    return within(rr(at) / rr_median[place(at)] - 1, -1, 1.5);
  }
  BEATSCAN_HOST_DEVICE double pause(std::int64_t at) const {
    return share_of_way(rr(at) / rr_median[place(at)], 1.2, 1.5);
  }
  BEATSCAN_HOST_DEVICE double change(std::int64_t i, int lag) const {
    const double its = std::fabs(rr(i) - rr(i - lag)) / rr_median[i];
    return 1 < its ? 1 : its;
  }
  BEATSCAN_HOST_DEVICE double least_change(std::int64_t i) const {
    double least = change(i, 1);
    for (int lag = 2; lag <= 3; ++lag)
      if (const double its = change(i, lag); its < least) least = its;
    return static_cast<double>(static_cast<float>(least));
  }
  BEATSCAN_HOST_DEVICE double p_of(std::int64_t at, int of_class) const {
    return posteriors ? static_cast<double>(posteriors[place(at) * kClasses + of_class]) : static_cast<double>(NAN);
  }
  BEATSCAN_HOST_DEVICE double abnormal(std::int64_t at) const { return p_of(at, kS) + p_of(at, kV); }

  BEATSCAN_HOST_DEVICE void put(BeatMeasure measure, std::int64_t i, double value) const {
    const int row = rows[static_cast<std::size_t>(measure)];
    if (row >= 0) measures[row * beats + i] = static_cast<float>(value);
  }

  BEATSCAN_HOST_DEVICE void put_intervals(std::int64_t i) const {
    const double own = rr(i), local = rr_median[i], relative = own / local, its_ratio = ratio(i);
    put(BeatMeasure::log_rr, i, log(own));
    put(BeatMeasure::ratio, i, its_ratio);
    put(BeatMeasure::departure, i, std::fabs(its_ratio));
    put(BeatMeasure::change1, i, change(i, 1));
    put(BeatMeasure::change2, i, change(i, 2));
    put(BeatMeasure::change3, i, change(i, 3));
    put(BeatMeasure::least_change, i, least_change(i));
    put(BeatMeasure::premature, i, share_of_way(relative, 0.9, 0.75));
    put(BeatMeasure::pause, i, pause(i));
    const double from_twice = (relative - 2) / 0.12;
    put(BeatMeasure::twice, i, exp(-(from_twice * from_twice)));
    put(BeatMeasure::fast, i, share_of_way(own, 0.6, 0.4));
    put(BeatMeasure::slow, i, share_of_way(own, 1.2, 1.8));
    const bool beside = pause(i) > 0 || pause(i - 1) > 0;
    put(BeatMeasure::shortening, i, beside ? 0 : within((rr(i - 1) - own) / local, -0.3, 0.3));
    put(BeatMeasure::correlation1, i, within(its_ratio * ratio(i - 1), -0.2, 0.2));
    put(BeatMeasure::correlation2, i, within(its_ratio * ratio(i - 2), -0.2, 0.2));
  }

  // Returns the expected number of beats of a class in a row from beat i on, forwards or backwards. It stops where
  // the rest does not change the sum, or the sum exceeds the longest run.
  BEATSCAN_HOST_DEVICE double run_from(std::int64_t i, int step, int of_class) const {
    constexpr double kNegligible = 1e-12;
    double sum = 0, product = 1;
    for (std::int64_t at = i; 0 <= at && at < beats; at += step) {
      product *= p_of(at, of_class);
      sum += product;
      if (!(product > kNegligible * sum) || sum >= kLongestRunBeats) break;
    }
    return sum;
  }
  BEATSCAN_HOST_DEVICE double run_length(std::int64_t i, int of_class) const {
    const double its = run_from(i, -1, of_class) + run_from(i, 1, of_class) - p_of(i, of_class);
    return kLongestRunBeats < its ? kLongestRunBeats : its;
  }
  // Returns how far the beat belongs to a pattern of one abnormal beat in `period`; NaN remains.
  BEATSCAN_HOST_DEVICE double pattern(std::int64_t i, int period) const {
    double most = 0;
    for (int shift = 0; shift < period; ++shift) {
      double product = 1;
      for (int by = -shift; by <= period - shift; ++by) {
        const double p = abnormal(i + by);
        product *= (by + shift) % period == 0 ? p : 1 - p;
      }
      if (!(product <= most)) most = product;
    }
    return most;
  }

  BEATSCAN_HOST_DEVICE void put_classes(std::int64_t i) const {
    const double s = p_of(i, kS), v = p_of(i, kV), before = p_of(i - 1, kV), after = p_of(i + 1, kV);
    put(BeatMeasure::s, i, s);
    put(BeatMeasure::v, i, v);
    put(BeatMeasure::x, i, p_of(i, kX));
    put(BeatMeasure::s_pair, i, s * p_of(i - 1, kS));
    put(BeatMeasure::v_pair, i, v * before);
    put(BeatMeasure::v_run, i, run_length(i, kV));
    put(BeatMeasure::s_run, i, run_length(i, kS));
    const double pair = v * (before < after ? after : before), quick = share_of_way(rr(i), 0.8, 0.5);
    put(BeatMeasure::v_fast, i, pair * quick);
    put(BeatMeasure::v_slow, i, pair * (1 - quick));
    put(BeatMeasure::bigeminy, i, pattern(i, 2));
    put(BeatMeasure::trigeminy, i, pattern(i, 3));
  }

  BEATSCAN_HOST_DEVICE void put_irregular(std::int64_t i) const {
    const double its = least_change(i), evidence = value(p_evidence, i);
    const double of_normal = its * p_of(i, kN) * p_of(i - 1, kN) * p_of(i - 2, kN);
    put(BeatMeasure::change_normal, i, of_normal);
    put(BeatMeasure::change_without_p, i, its * (1 - evidence));
    put(BeatMeasure::change_with_p, i, its * evidence);
    put(BeatMeasure::change_neither, i, of_normal * (1 - evidence));
  }

  // Puts measures of the PR interval; 120 to 200 ms are normal.
  BEATSCAN_HOST_DEVICE void put_pr(std::int64_t i, double its_pause) const {
    const double pr = value(pr_ms, i), step = within((pr - value(pr_ms, place(i - 1))) / 100, -1, 1);
    const double scatter = exists(pr) ? std::fabs(pr - pr_median[i]) / 100 : pr;
    put(BeatMeasure::pr_short, i, (120 - pr < 0 ? 0 : 120 - pr) / 40);
    put(BeatMeasure::pr_long, i, (pr - 200 < 0 ? 0 : pr - 200) / 100);
    put(BeatMeasure::pr_growth, i, its_pause > 0 ? static_cast<double>(NAN) : step);
    put(BeatMeasure::pr_drop, i, its_pause > 0 ? -step : 0 * step);
    put(BeatMeasure::pr_scatter, i, 1 < scatter ? 1 : scatter);
  }

  BEATSCAN_HOST_DEVICE void put_waves(std::int64_t i) const {
    const double evidence = value(p_evidence, i), extra = value(non_conducted_p, i),
                 its_pause = static_cast<double>(static_cast<float>(pause(i)));
    const double one = 1 < extra ? 1 : extra, two = 2 < extra ? 2 : extra;
    put(BeatMeasure::p_absent, i, exists(evidence) ? evidence < 0.2 : static_cast<double>(NAN));
    put(BeatMeasure::p_present, i, exists(evidence) ? evidence > 0.6 : static_cast<double>(NAN));
    put_pr(i, its_pause);
    put(BeatMeasure::pause_p, i, its_pause * two);
    put(BeatMeasure::pause_no_p, i, its_pause * (1 - one));
    put(BeatMeasure::between_p, i, (1 - its_pause) * two);
    put(BeatMeasure::late_p, i, its_pause * evidence);
    put(BeatMeasure::late_no_p, i, its_pause * (1 - evidence));
    put(BeatMeasure::late_wide, i, its_pause * within(value(qrs_ms_ratio, i), -1, 1));
  }

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    put_intervals(i);
    put_classes(i);
    put_irregular(i);
    put_waves(i);
  }
};

// Returns the medians over 8 beats on either side of RR intervals, [K], and of those PR intervals that exist, [K].
Buffer<double, BackEnd> medians_of(BackEnd& context, const MeasureInputs& inputs) {
  constexpr int kReach = 8;
  const std::int64_t beats = std::ssize(inputs.rr_s), lists = inputs.pr_ms.empty() ? 1 : 2;
  Buffer<double, BackEnd> values(context, lists * beats), medians(context, lists * beats);
  each(context, beats,
       [all = values.data(), beats, rr = inputs.rr_s.data(),
        pr = lists > 1 ? inputs.pr_ms.data() : nullptr] BEATSCAN_DEVICE(std::int64_t i) {
         all[i] = within(rr[i], kShortestRr, kLongestRr);
         if (pr) all[beats + i] = pr[i];
       });
  SelectedValues<BackEnd> known(context, lists * beats);
  select_values(context, values, {}, 0, known.values, known.before);
  std::vector<RunningQuantiles> all;
  for (std::int64_t k = 0; k < lists; ++k)
    all.push_back({.values = known.values,
                   .before = known.before.span().subspan(k * beats, beats + 1),
                   .reach = kReach,
                   .quantiles = {{0.5, medians.span().subspan(k * beats, beats)}}});
  running_quantiles(context, all);
  return medians;
}

const float* data_or_null(std::span<const float> values) { return values.empty() ? nullptr : values.data(); }

}  // namespace

void beat_measures(BackEnd& context, const MeasureInputs& inputs, const MeasureRows& rows, std::span<float> measures) {
  const std::size_t beats = inputs.rr_s.size();
  BEATSCAN_EXPECTS(inputs.posteriors.empty() || inputs.posteriors.size() == MeasureBeat::kClasses * beats,
                   "beat_measures: bad shape of the posteriors");
  for (const auto column : {inputs.p_evidence, inputs.pr_ms, inputs.non_conducted_p, inputs.qrs_ms_ratio})
    BEATSCAN_EXPECTS(column.empty() || column.size() == beats, "beat_measures: bad shape of a column");
  for (const int row : rows)
    BEATSCAN_EXPECTS((row + 1) * beats <= measures.size(), "beat_measures: too few rows for the measures");
  const bool has_pr = !inputs.pr_ms.empty();
  const auto medians = medians_of(context, inputs);
  MeasureBeat beat{static_cast<std::int64_t>(beats),
                   inputs.rr_s.data(),
                   data_or_null(inputs.posteriors),
                   data_or_null(inputs.p_evidence),
                   data_or_null(inputs.pr_ms),
                   data_or_null(inputs.non_conducted_p),
                   data_or_null(inputs.qrs_ms_ratio),
                   medians.data(),
                   has_pr ? medians.data() + beats : nullptr,
                   measures.data()};
  std::ranges::copy(rows, beat.rows);
  each(context, std::ssize(inputs.rr_s), beat, kMeasureGrain);
}

}  // namespace beatscan
