// stages/findings/even_runs.h — finds tachycardias that are hardly faster than the rhythm around them, by how they
// begin and end: at once, and evenly in between. early.h tells how their beats count.
#pragma once

#include <cstdint>
#include <vector>

namespace beatscan {

struct EarlyOptions;

// Returns 1 for the beats of even runs, [K]:
//   - each of even_run beats or more has an interval below run_ratio times the reference of the run's first beat, and
//     within even_change of the one before;
//   - it is faster than even_bpm, and its intervals lie within a tenth of the first;
//   - the first interval is even_jump times shorter than the one before, and than the median of the five before, but
//     not below 0.6 times the one before, as where a block of every other beat ends;
//   - the one before is at least 0.97 times the shortest of the five before it: the rate does not rise already;
//   - the interval behind is even_jump times longer than the last one, if it is known, and so is the median of the five
//     behind. Where the next beat is set aside, the run may end anyhow.
//   rr         [K] interval that ends at each beat; NaN where it is not known
//   reference  [K] the interval that is usual around each beat
//   changes    [K] LocalRhythm::changes, at which run_change is the limit
//   aside      [K] 1 for beats that are neither N nor S
std::vector<std::uint8_t> even_runs(const std::vector<double>& rr, const std::vector<double>& reference,
                                    const std::vector<double>& changes, const std::vector<std::uint8_t>& aside,
                                    double sample_rate_hz, const EarlyOptions& options);

// Says whether more than a quarter of all beats are in even runs: two rhythms take turns then, and the slower one may
// be the abnormal one.
bool take_turns(const std::vector<std::uint8_t>& even);

// Makes the beats of even runs early, unless two rhythms take turns.
void add_even_runs(const std::vector<double>& rr, const std::vector<double>& reference,
                   const std::vector<double>& changes, const std::vector<std::uint8_t>& aside, double sample_rate_hz,
                   const EarlyOptions& options, std::vector<std::uint8_t>& early);

}  // namespace beatscan
