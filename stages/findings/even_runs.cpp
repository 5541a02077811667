#include "stages/findings/even_runs.h"

#include <algorithm>
#include <cmath>

#include "stages/findings/finding_options.h"
#include "stages/findings/median_of_known.h"

namespace beatscan {
namespace {

constexpr int kBesideRun = 5;  // intervals before a run, and behind it
// Of the interval before: shorter ones are half of it, as where a block of every other beat ends. Tachycardias that
// are as fast need no rule of their own.
constexpr double kNoBlock = 0.6;
constexpr double kSteady = 0.97;  // of the shortest interval before: a shorter one tells of a rate that rises already
constexpr double kDrift = 0.1;    // of the first interval
constexpr double kMostBeats = 0.25;  // of all beats; where more are in even runs, two rhythms take turns

struct Intervals {
  const std::vector<double>&rr, &reference, &changes;
  const std::vector<std::uint8_t>& aside;
  double sample_rate_hz;
};

// Says whether a run may begin at a beat: the rate was steady and jumps there, and does not just come back after a
// pause.
bool may_begin(const Intervals& its, std::int64_t first, const EarlyOptions& options) {
  if (its.aside[first] || its.aside[first - 1]) return false;
  const double before = its.rr[first - 1], own = options.even_jump * its.rr[first];
  if (!(own < before && its.rr[first] > kNoBlock * before && its.changes[first] < options.run_change &&
        its.rr[first] < options.run_ratio * its.reference[first] &&
        its.rr[first] * options.even_bpm < 60 * its.sample_rate_hz))
    return false;
  if (!(own < median_of_known(its.rr, its.aside, first - 1, -1, kBesideRun))) return false;
  for (std::int64_t i = first - 2; i > 0 && i >= first - 1 - kBesideRun; --i)
    if (!its.aside[i] && !its.aside[i - 1] && before >= kSteady * its.rr[i]) return true;
  return false;
}

// Says whether a beat goes on with the run that began at `first`.
bool is_even(const Intervals& its, std::int64_t first, std::int64_t beat, const EarlyOptions& options) {
  const double interval = its.rr[beat], before = its.rr[beat - 1];
  return !its.aside[beat] && interval < options.run_ratio * its.reference[first] &&
         std::abs(interval - before) <= options.even_change * before &&
         std::abs(interval - its.rr[first]) <= kDrift * its.rr[first];
}

// Says whether a run ends suddenly before the beat `behind`, or before one that is set aside.
bool ends_suddenly(const Intervals& its, std::int64_t behind, const EarlyOptions& options) {
  if (behind == std::ssize(its.rr)) return false;
  if (its.aside[behind]) return true;
  const double least = options.even_jump * its.rr[behind - 1];
  return !(its.rr[behind] < least) && median_of_known(its.rr, its.aside, behind, 1, kBesideRun) >= least;
}

// Returns the beat behind a run that begins at `first`; `first` where none does.
std::int64_t behind_run(const Intervals& its, std::int64_t first, const EarlyOptions& options) {
  if (!may_begin(its, first, options)) return first;
  std::int64_t behind = first + 1;
  while (behind < std::ssize(its.rr) && is_even(its, first, behind, options)) ++behind;
  return behind - first >= options.even_run && ends_suddenly(its, behind, options) ? behind : first;
}

}  // namespace

std::vector<std::uint8_t> even_runs(const std::vector<double>& rr, const std::vector<double>& reference,
                                    const std::vector<double>& changes, const std::vector<std::uint8_t>& aside,
                                    double sample_rate_hz, const EarlyOptions& options) {
  const Intervals intervals{rr, reference, changes, aside, sample_rate_hz};
  std::vector<std::uint8_t> even(rr.size());
  for (std::int64_t i = 2; i < std::ssize(even);) {
    const std::int64_t behind = behind_run(intervals, i, options);
    std::fill(even.begin() + i, even.begin() + behind, std::uint8_t{1});
    i = std::max(behind, i + 1);
  }
  return even;
}

bool take_turns(const std::vector<std::uint8_t>& even) {
  return static_cast<double>(std::ranges::count(even, 1)) > kMostBeats * static_cast<double>(even.size());
}

void add_even_runs(const std::vector<double>& rr, const std::vector<double>& reference,
                   const std::vector<double>& changes, const std::vector<std::uint8_t>& aside, double sample_rate_hz,
                   const EarlyOptions& options, std::vector<std::uint8_t>& early) {
  const auto even = even_runs(rr, reference, changes, aside, sample_rate_hz, options);
  if (take_turns(even)) return;
  for (std::size_t i = 0; i < even.size(); ++i) early[i] |= even[i];
}

}  // namespace beatscan
