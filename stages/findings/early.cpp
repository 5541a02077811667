#include "stages/findings/early.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/lists/bits.h"
#include "kernels/lists/gather.h"
#include "kernels/lists/local_quantiles.h"
#include "kernels/rhythm/early_beats.h"
#include "kernels/rhythm/rhythm.h"
#include "kernels/runtime/error.h"
#include "stages/findings/even_runs.h"
#include "stages/findings/finding_options.h"
#include "stages/findings/settled.h"

namespace beatscan {
namespace {

constexpr double kMiddle = 0.5;
constexpr std::int64_t kFewestAccepted = 3;  // of fewer accepted beats nothing can be told

// Returns the number of places below each of K beats.
template <class Context>
Buffer<std::int64_t, Context> counted_before(Context& context, std::span<const std::int64_t> places,
                                             std::int64_t beats) {
  Buffer<std::int64_t, Context> before(context, beats);
  places_before(context, places, before);
  return before;
}

// Returns the q-quantile of the values around each of K beats, [K][2].
//   before  [K] number of values that belong to earlier beats
template <class Context>
Buffer<double, Context> quantiles_around(Context& context, const Buffer<double, Context>& values,
                                         const Buffer<std::int64_t, Context>& before, int reach, double q) {
  Buffer<double, Context> quantiles(context, 2 * before.size());
  local_quantiles(context, values, before, reach, {q, q}, quantiles);
  return quantiles;
}

// Returns the beats whose intervals show what is usual; all that are known if too few are accepted.
template <class Context>
Buffer<std::int64_t, Context> accepted_places(Context& context, const Buffer<double, Context>& rr,
                                              const Buffer<std::uint8_t, Context>& aside,
                                              const Buffer<std::uint8_t, Context>& early) {
  Buffer<std::uint8_t, Context> accepted(context, rr.size());
  accept_intervals(context, rr, aside, early, accepted);
  auto places = positions_of(context, accepted, 1);
  if (places.size() >= kFewestAccepted) return places;
  accept_intervals(context, rr, from_host(context, std::vector<std::uint8_t>(rr.size())), {}, accepted);
  return positions_of(context, accepted, 1);
}

// The early beats of a round, and the interval that was usual around each beat.
template <class Context>
struct EarlyRound {
  Buffer<std::uint8_t, Context> early;
  Buffer<double, Context> reference;  // [K][2]
};

template <class Context>
EarlyRound<Context> next_round(Context& context, const Buffer<double, Context>& rr,
                               const Buffer<std::uint8_t, Context>& aside, const Buffer<std::uint8_t, Context>& early,
                               const EarlyOptions& options) {
  const auto places = accepted_places(context, rr, aside, early);
  const auto before = counted_before(context, places, rr.size());
  EarlyRound<Context> round{
      {context, rr.size()},
      quantiles_around(context, gathered(context, rr, places), before, options.reference_beats, options.quantile)};
  Buffer<double, Context> deviations(context, places.size());
  rr_deviations(context, rr, round.reference, places, deviations);
  const auto scatter = quantiles_around(context, deviations, before, options.scatter_beats, kMiddle);
  judge_early(context, {rr, round.reference, scatter, aside, early},
              {options.least_early, options.late_weight, options.abrupt_weight, options.least_sum, options.scatter},
              round.early);
  return round;
}

// Leaves out early beats after beats that are set aside, unless they come too soon after the last other beat as well.
void keep_early_behind_aside(const std::vector<double>& rr, const std::vector<double>& reference,
                             const std::vector<std::uint8_t>& aside, double least_early,
                             std::vector<std::uint8_t>& early) {
  double across = 0;  // from the last beat that was not set aside
  for (std::size_t i = 1; i < early.size(); ++i) {
    if (!aside[i - 1]) continue;
    across = (i > 1 && aside[i - 2] ? across : rr[i - 1]) + rr[i];
    if (!(1 - across / reference[i] > least_early)) early[i] = 0;
  }
}

// The values that the run rule looks at, on the host.
struct RunFacts {
  const std::vector<double>& rr;           // [K]
  std::vector<double> reference, changes;  // [K]
};

// Makes those beats early that continue a run, except settled beats.
void extend_runs(const RunFacts& facts, const std::vector<std::uint8_t>& aside,
                 const std::vector<std::uint8_t>& settled, const EarlyOptions& options,
                 std::vector<std::uint8_t>& early) {
  double limit = std::numeric_limits<double>::quiet_NaN();
  const std::int64_t count = std::ssize(early);
  int run = 0;
  for (std::int64_t i = next_early(early, 0); i < count; i = run == 0 ? next_early(early, i + 1) : i + 1) {
    if (early[i]) {
      if (++run == 1) limit = options.run_ratio * facts.reference[i];
    } else if (!aside[i]) {
      const bool goes_on =
          !settled[i] && run >= options.run_after && facts.rr[i] < limit && facts.changes[i] < options.run_change;
      early[i] = goes_on;
      run = goes_on ? run + 1 : 0;
    }
  }
}

void remove_settled(const std::vector<std::uint8_t>& settled, std::vector<std::uint8_t>& early) {
  for (std::size_t i = 0; i < early.size(); ++i) early[i] = early[i] && !settled[i];
}

}  // namespace

template <class Context>
LocalRhythm<Context> local_rhythm(Context& context, const std::vector<double>& r_peaks,
                                  const std::vector<std::uint8_t>& broken, double sample_rate_hz,
                                  const EarlyOptions& options) {
  const std::int64_t beats = std::ssize(r_peaks);
  const auto peaks = from_host(context, r_peaks);
  const auto unknown = from_host(context, broken);
  LocalRhythm<Context> rhythm{std::vector<double>(r_peaks.size()), {}, {context, 2 * beats}, {}, sample_rate_hz};
  Cpu host;
  rr_intervals(host, r_peaks, broken, rhythm.rr_on_host);
  rhythm.rr = from_host(context, rhythm.rr_on_host);
  const auto known = positions_of(context, unknown, 0);
  Buffer<double, Context> intervals(context, known.size()), wide(context, 2 * beats), changes(context, beats);
  Buffer<std::int64_t, Context> before(context, beats);
  known_intervals(context, peaks, known, intervals, before);
  local_quantiles(context, intervals, before, options.local_beats, {options.local_quantile, options.local_quantile},
                  rhythm.near);
  local_quantiles(context, intervals, before, options.change_beats, {options.local_quantile, options.local_quantile},
                  wide);
  Buffer<std::uint8_t, Context> is_known(context, beats);
  rr_changes(context, rhythm.rr, wide, changes, is_known);
  const auto places = positions_of(context, is_known, 1);
  rhythm.changes = quantiles_around(context, gathered(context, changes, places), counted_before(context, places, beats),
                                    options.change_beats, kMiddle);
  return rhythm;
}

template <class Context>
std::vector<std::uint8_t> early_beats(Context& context, const LocalRhythm<Context>& rhythm,
                                      std::span<const float> prev_ratio, const std::vector<std::uint8_t>& aside,
                                      const EarlyOptions& options) {
  const std::int64_t beats = rhythm.rr.size();
  BEATSCAN_EXPECTS(std::ssize(prev_ratio) == beats && std::ssize(aside) == beats && options.rounds > 0,
                   "early_beats: bad shape or no round");
  const auto aside_there = from_host(context, aside);
  EarlyRound<Context> round{{context, beats}, {}};
  first_early(context, rhythm.rr, rhythm.near, rhythm.changes, prev_ratio,
              {options.first_local, options.first_recording, options.first_change}, round.early);
  for (int i = 0; i < options.rounds; ++i) round = next_round(context, rhythm.rr, aside_there, round.early, options);
  auto [early, reference, changes] =
      to_hosts(context, round.early, firsts_of(context, round.reference), firsts_of(context, rhythm.changes));
  RunFacts facts{rhythm.rr_on_host, std::move(reference), std::move(changes)};
  std::vector<std::uint8_t> settled(aside.size());
  keep_early_behind_aside(facts.rr, facts.reference, aside, options.least_early, early);
  add_even_runs(facts.rr, facts.reference, facts.changes, aside, rhythm.sample_rate_hz, options, early);
  extend_runs(facts, aside, settled, options, early);
  settled = settled_beats(rhythm.rr_on_host, aside, early, rhythm.sample_rate_hz, options);
  if (std::ranges::count(settled, 1) == 0) return early;
  remove_settled(settled, early);
  round = next_round(context, rhythm.rr, aside_there, from_host(context, early), options);
  std::tie(early, facts.reference) = to_hosts(context, round.early, firsts_of(context, round.reference));
  keep_early_behind_aside(facts.rr, facts.reference, aside, options.least_early, early);
  add_even_runs(facts.rr, facts.reference, facts.changes, aside, rhythm.sample_rate_hz, options, early);
  remove_settled(settled, early);
  extend_runs(facts, aside, settled, options, early);
  return early;
}

#define BEATSCAN_EARLY_BEATS(Context)                                                                                \
  template LocalRhythm<Context> local_rhythm(Context&, const std::vector<double>&, const std::vector<std::uint8_t>&, \
                                             double, const EarlyOptions&);                                           \
  template std::vector<std::uint8_t> early_beats(Context&, const LocalRhythm<Context>&, std::span<const float>,      \
                                                 const std::vector<std::uint8_t>&, const EarlyOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_EARLY_BEATS)

}  // namespace beatscan
