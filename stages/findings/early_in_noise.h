// stages/findings/early_in_noise.h — tells which early beats poor signal may have made.
//
// In noise beats are found that are none, and they come early. A run of early beats of which more than half lie in poor
// signal counts as made by noise there, unless it is long and even: noise_run beats or more, and four fifths of their
// intervals within noise_even times their median. A tachycardia is like that. One early beat is a run, too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

struct EarlyOptions;

// Returns which of K early beats may be made by noise: those in poor signal, in such runs.
//   rr     [K] interval that ends at the beat; NaN where it is not known
//   poor   [K] 1 for a beat in poor signal
//   early  [K] 1 for an early beat
std::vector<std::uint8_t> early_by_noise(std::span<const double> rr, const std::vector<std::uint8_t>& poor,
                                         const std::vector<std::uint8_t>& early, const EarlyOptions& options);

}  // namespace beatscan
