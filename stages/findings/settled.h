// stages/findings/settled.h — tells which runs of early beats are none: a rate that changed and stays, the usual rate
// that is back, or the end of a slow rhythm. early.h says by which rules.
#pragma once

#include <cstdint>
#include <vector>

namespace beatscan {

struct EarlyOptions;

// Returns the first early beat from `from` on, or their number where there is none.
std::int64_t next_early(const std::vector<std::uint8_t>& early, std::int64_t from);

// Marks the beats of such runs, except beats that are early within the run: [K].
//   rr     [K] interval that ends at each beat; NaN where it is not known
//   aside  [K] 1 for beats that are neither N nor S
//   early  [K] 1 for early beats
std::vector<std::uint8_t> settled_beats(const std::vector<double>& rr, const std::vector<std::uint8_t>& aside,
                                        const std::vector<std::uint8_t>& early, double sample_rate_hz,
                                        const EarlyOptions& options);

}  // namespace beatscan
