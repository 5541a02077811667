#include "stages/windows/rhythm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/lists/bits.h"
#include "kernels/lists/gather.h"
#include "kernels/lists/local_quantiles.h"
#include "kernels/rhythm/rhythm.h"
#include "kernels/runtime/parallel.h"
#include "kernels/windows/log_scores.h"
#include "stages/common/robust.h"
#include "stages/detect/beat_list.h"
#include "stages/windows/row_options.h"

namespace beatscan {
namespace {

constexpr double kMedian = 0.5;

// Returns the reference and the median RR interval around each beat, over `reach` intervals on either side, [K][2] in
// samples.
template <class Context>
Buffer<double, Context> local_intervals(Context& context, const BeatBuffers<Context>& beats, int reach,
                                        double reference_quantile) {
  const std::int64_t count = beats.r_peaks.size();
  const auto known = positions_of(context, beats.broken, 0);
  Buffer<double, Context> intervals(context, known.size()), local(context, 2 * count);
  Buffer<std::int64_t, Context> before(context, count);
  known_intervals(context, beats.r_peaks, known, intervals, before);
  local_quantiles(context, intervals, before, reach, {reference_quantile, kMedian}, local);
  return local;
}

// The beats from which scales are computed.
template <class Context>
struct Measured {
  Buffer<std::int64_t, Context> regular, trusted;
};

// Returns whether intervals alternate, given the ratios of those before each beat to the reference.
bool do_alternate(const std::vector<float>& before) {
  std::vector<double> changes;
  for (std::size_t i = 2; i < before.size(); ++i)
    if (std::isfinite(before[i]) && std::isfinite(before[i - 2]))
      changes.push_back(std::abs(before[i] - before[i - 2]) / before[i]);
  return !changes.empty() && quantile(changes, kMedian) < kAlternating;
}

// Returns the trusted beats; if intervals alternate, without the premature ones.
template <class Context>
std::vector<std::uint8_t> beats_on_time(Context& context, const BeatBuffers<Context>& beats,
                                        const RhythmBuffers<Context>& rhythm, double regular) {
  const auto [before, behind, trusted] = to_hosts(context, rhythm.prev_ratio, rhythm.next_ratio, beats.trusted);
  if (!do_alternate(before)) return trusted;
  auto on_time = trusted;
  for (std::size_t i = 0; i < on_time.size(); ++i)
    if (before[i] < std::exp(-regular) * behind[i]) on_time[i] = 0;
  const bool enough = are_enough_on_time(std::ranges::count(on_time, 1), std::ranges::count(trusted, 1));
  return enough ? on_time : trusted;
}

// Chooses these beats. If there are few regular beats, more are made regular.
template <class Context>
Measured<Context> measured_beats(Context& context, const BeatBuffers<Context>& beats, double regular,
                                 RhythmBuffers<Context>& rhythm) {
  auto places = positions_of(context, rhythm.regular, 1);
  const auto trusted = positions_of(context, beats.trusted, 1);
  rhythm.few_regular = places.size() < kFewRegular ||
                       static_cast<double>(places.size()) < kLeastRegular * static_cast<double>(trusted.size());
  if (rhythm.few_regular) {
    rhythm.regular = from_host(context, beats_on_time(context, beats, rhythm, regular));
    places = positions_of(context, rhythm.regular, 1);
  }
  return {some_of(context, places, kMostSampled), some_of(context, trusted, kMostSampled)};
}

// Returns the median of the regular beats, and the blended spread of the trusted ones.
RobustScale scale_of(const std::vector<double>& regular, const std::vector<double>& trusted, double typical_spread) {
  auto known = finite_of(regular);
  const double median = known.empty() ? 0 : quantile(known, kMedian);
  return {median, blended_scale(finite_of(trusted), typical_spread).scale};
}

// Returns the scales of `early` and `late`.
template <class Context>
std::array<RobustScale, 2> scales_of(Context& context, const Buffer<double, Context>& early,
                                     const Buffer<double, Context>& late, const Measured<Context>& measured,
                                     double typical_spread) {
  const auto [early_regular, early_trusted, late_regular, late_trusted] =
      to_hosts(context, gathered(context, early, measured.regular), gathered(context, early, measured.trusted),
               gathered(context, late, measured.regular), gathered(context, late, measured.trusted));
  std::array<RobustScale, 2> scales;
  const std::vector<double>*regular[] = {&early_regular, &late_regular}, *trusted[] = {&early_trusted, &late_trusted};
  run_parts(2, [&](std::int64_t i) { scales[i] = scale_of(*regular[i], *trusted[i], typical_spread); });
  return scales;
}

// Computes the rhythm against the intervals within one reach.
template <class Context>
RhythmBuffers<Context> rhythm_within(Context& context, const BeatBuffers<Context>& beats, int reach,
                                     const RhythmOptions& options, double rate_hz) {
  const std::int64_t count = beats.r_peaks.size();
  RhythmBuffers<Context> rhythm{{context, count}, {context, count}, {context, count}, {context, count}};
  Buffer<double, Context> early(context, count), late(context, count);
  const auto local = local_intervals(context, beats, reach, options.reference_quantile);
  judge_rhythm(context, {beats.r_peaks, beats.broken, beats.trusted, local}, std::exp(options.regular),
               {rhythm.prev_ratio, rhythm.next_ratio, early, late, rhythm.regular});
  const auto measured = measured_beats(context, beats, options.regular, rhythm);
  const auto [early_scale, late_scale] = scales_of(context, early, late, measured, options.typical_spread);
  rhythm_scores(context, early, {early_scale.median, early_scale.scale, options.cap, options.prev_weight}, late,
                {late_scale.median, late_scale.scale, options.cap, options.next_weight}, rhythm.score);
  raise_pause_scores(context, beats.r_peaks, beats.pauses, early,
                     {options.pause_s * rate_hz,
                      options.pause_ratio,
                      {late_scale.median, late_scale.scale, options.cap, options.pause_weight}},
                     rhythm.score);
  return rhythm;
}

}  // namespace

template <class Context>
RhythmBuffers<Context> rhythm_of(Context& context, const BeatBuffers<Context>& beats, const RhythmOptions& options,
                                 double rate_hz) {
  auto rhythm = rhythm_within(context, beats, options.reference_beats, options, rate_hz);
  if (options.local_share == 0) return rhythm;
  const auto local = rhythm_within(context, beats, options.local_beats, options, rate_hz);
  const auto share = static_cast<float>(options.local_share);
  Buffer<float, Context> score(context, rhythm.score.size());
  weighted_sum(context, std::vector<StandardTerm>{{rhythm.score, 0, 1 - share}, {local.score, 0, share}}, score);
  rhythm.score = std::move(score);
  return rhythm;
}

#define BEATSCAN_RHYTHM_OF(Context) \
  template RhythmBuffers<Context> rhythm_of(Context&, const BeatBuffers<Context>&, const RhythmOptions&, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_RHYTHM_OF)

}  // namespace beatscan
