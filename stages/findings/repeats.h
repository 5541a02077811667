// stages/findings/repeats.h — tells beats beside which samples repeat exactly: a buffer that was written twice.
//
// The second copy of a piece shifts what follows, and the copy of a beat is one that never was. So early beats appear.
// Within 2 s before an R peak and 1 s after it, samples repeat if 0.25 s of them or more are the same, value for value,
// as those 0.08 to 1.2 s before. Eight different values among them, at least, keep a line at rest from counting.
// Noise makes that impossible by chance, but all beats of a simulator without noise repeat. So nothing is told where
// half of the other beats are copies themselves, or where there are no others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

template <class Context>
struct RecordedLead;

struct Repeats {
  std::int64_t beats = 0, asked = 0;  // beats beside which samples repeat, of those that were looked at
  // Sample where the first repetition begins; samples since the original.
  std::int64_t first_sample = 0, first_lag_samples = 0;
};

inline constexpr std::int64_t kMostRepeatBeats = 128, kMostOtherBeats = 32;  // that are looked at, evenly spread

// Looks for repetitions beside beats.
//   r_peaks  [K]
//   asked    beats whose kind they may explain, ascending
//   others   beats that show whether all of the signal repeats
template <class Context>
Repeats repeats_beside(Context&, const RecordedLead<Context>& lead, std::span<const double> r_peaks,
                       std::span<const std::int64_t> asked, std::span<const std::int64_t> others,
                       double sample_rate_hz);

}  // namespace beatscan
