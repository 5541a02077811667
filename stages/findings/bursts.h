// stages/findings/bursts.h — tells beats that are a burst of muscle noise of about a tenth of a second.
//
// A QRS complex goes up and down once or twice. Muscle noise does so again and again. Let x be the samples within 70 ms
// of the R peak, and w 8 ms. A lead shows a burst if
//   - the sum of |x(i + 1) - x(i)| is 3.6 times the range of x at least
//   - the sum of (x(t + 2 w) - 2 x(t + w) + x(t))^2 is 1.9 times that of (x(t + w) - x(t))^2 at least
// A beat is a burst if all leads that are no flat line there show one. A lead at rest is ragged, too, and so does not
// keep the burst of another lead from being told; a beat in any lead does. Hum makes every beat look so. A beat is
// therefore no burst unless its sum of (x(t + 2 w) - 2 x(t + w) + x(t))^2 is twice that of the calmest 140 ms within
// 0.4 s of it, in one lead at least. Of bursts of white noise, 0.1 s long, all are told from 200 Hz on, and seven of
// eight at 128 Hz, where they have 13 samples. Of beats in white noise that lasts, up to four in ten are told, too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

template <class Context>
struct Recording;

enum class BurstRule {
  told,  // the rule above
  lone,  // the line is calm on either side, by a tenth: a beat in noise of half a second or more is no burst
};

// Tells which beats are bursts, [C].
//   leads    numbers of the leads that are looked at, one at least
//   r_peaks  [K]
//   asked    [C] beats
template <class Context>
std::vector<std::uint8_t> are_bursts(Context&, const Recording<Context>& recording, std::span<const std::int64_t> leads,
                                     std::span<const double> r_peaks, const std::vector<std::int64_t>& asked,
                                     double sample_rate_hz, BurstRule rule = BurstRule::told);

}  // namespace beatscan
