#include "stages/findings/settled.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "stages/common/robust.h"
#include "stages/findings/finding_options.h"
#include "stages/findings/median_of_known.h"

namespace beatscan {
namespace {

constexpr int kBeforeStep = 24;  // intervals before

// A run of early beats. Beats that are set aside do not end it.
struct Run {
  std::int64_t first, last, behind;  // its first and its last early beat, and the beat after it
  std::int64_t beats;                // early ones
};

Run run_from(std::int64_t first, const std::vector<std::uint8_t>& early, const std::vector<std::uint8_t>& aside) {
  Run run{first, first, first, 0};
  for (; run.behind < std::ssize(early) && (early[run.behind] || (run.beats > 0 && aside[run.behind])); ++run.behind)
    if (early[run.behind]) ++run.beats, run.last = run.behind;
  return run;
}

// Returns the median interval of the early beats [first, last].
double interval_in_run(const std::vector<double>& rr, const std::vector<std::uint8_t>& early, std::int64_t first,
                       std::int64_t last) {
  std::vector<double> some;
  for (auto i = first; i <= last; ++i)
    if (early[i] && std::isfinite(rr[i])) some.push_back(rr[i]);
  return some.empty() ? 0 : quantile(some, 0.5);
}

// Returns the median of the intervals at beats that are usual, and follow a usual one. NaN where there is none, and
// where the rate is slower for more than a small share of the time.
double usual_interval(const std::vector<double>& rr, const std::vector<std::uint8_t>& aside,
                      const std::vector<std::uint8_t>& not_usual, const EarlyOptions& options) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> some;
  for (std::size_t i = 1; i < rr.size(); ++i)
    if (!not_usual[i] && !not_usual[i - 1] && std::isfinite(rr[i])) some.push_back(rr[i]);
  if (some.empty()) return kNone;
  const double usual = quantile(some, 0.5);
  double time = 0, slow = 0;
  for (std::size_t i = 1; i < rr.size(); ++i) {
    if (aside[i] || aside[i - 1] || !std::isfinite(rr[i])) continue;
    time += rr[i];
    if (rr[i] > usual / options.run_ratio) slow += rr[i];
  }
  return slow <= options.usual_slow * time ? usual : kNone;
}

// Tells whether a long run whose median interval is `own` is a rate that changed and stays.
//   before  the median of the intervals before the run
bool stays(const Run& run, double before, double own, const std::vector<double>& rr,
           const std::vector<std::uint8_t>& aside, const EarlyOptions& options) {
  const double least = run.behind == std::ssize(rr) ? options.settled_last_ratio : options.settled_ratio;
  if (!(own >= least * before)) return false;
  const double at_end = median_of_known(rr, aside, run.last, -1, options.settled_end),
               then = median_of_known(rr, aside, run.behind, 1, options.settled_end);
  return !(then >= options.settled_jump * at_end);
}

// Tells whether a run is sinus rhythm after a slow rhythm, as where a block ends.
bool ends_slow_rhythm(double before, double own, double sample_rate_hz, const EarlyOptions& options) {
  const double minute = 60 * sample_rate_hz;
  return before > minute / options.settled_block_bpm && own > minute / options.settled_sinus_bpm;
}

}  // namespace

std::int64_t next_early(const std::vector<std::uint8_t>& early, std::int64_t from) {
  return std::find(early.begin() + from, early.end(), 1) - early.begin();
}

std::vector<std::uint8_t> settled_beats(const std::vector<double>& rr, const std::vector<std::uint8_t>& aside,
                                        const std::vector<std::uint8_t>& early, double sample_rate_hz,
                                        const EarlyOptions& options) {
  std::vector<std::uint8_t> settled(early.size()), not_usual = aside;
  for (std::size_t i = 0; i < early.size(); ++i) not_usual[i] |= early[i];
  std::optional<double> usual;  // takes time, and most recordings have no such run
  const auto is_usual = [&](double own) {
    if (!usual) usual = usual_interval(rr, aside, not_usual, options);
    return own >= options.usual_ratio * *usual;
  };
  const auto is_settled = [&](const Run& run, double own) {
    const double before = median_of_known(rr, not_usual, run.first - 1, -1, kBeforeStep);
    return stays(run, before, own, rr, aside, options) || ends_slow_rhythm(before, own, sample_rate_hz, options);
  };
  for (std::int64_t first = next_early(early, 0); first < std::ssize(early);) {
    const Run run = run_from(first, early, aside);
    const bool is_long = run.beats >= options.settled_beats, may_be_usual = run.beats >= options.usual_run;
    const double own = is_long || may_be_usual ? interval_in_run(rr, early, run.first, run.last) : 0;
    const bool settles = own > 0 && ((is_long && is_settled(run, own)) || (may_be_usual && is_usual(own)));
    for (auto i = run.first; i <= run.last && settles; ++i) settled[i] = !(rr[i] < options.run_ratio * own);
    first = next_early(early, run.behind);
  }
  return settled;
}

}  // namespace beatscan
