// stages/findings/early.h — tells beats that come early and have a usual shape: supraventricular premature beats.
//
//   RR_i      interval that ends at beat i
//   near_i    quantile `local_quantile` of the RR intervals of `local_beats` beats on either side
//   change_i  median over `change_beats` beats on either side of min over j = 1, 2, 3 of |RR_i - RR_(i-j)| / the same
//             quantile within change_beats: small in bigeminy and trigeminy, large in atrial fibrillation
// A first guess: early where RR_i / near_i is below first_local, or RR_i over the usual interval of a longer part below
// first_recording, and the ratio also below 1 - first_change * change_i. Then follow `rounds` rounds:
//   accepted  beats with a known RR; neither they nor the beat before them is early, ventricular or of unknown kind
//   ref_i     quantile `quantile` of the RR of the `reference_beats` accepted ones nearest on either side
//   scatter   1.4826 median of |RR / ref - 1| of the `scatter_beats` accepted ones nearest on either side
//   early     1 - RR_i / ref_i > least_early, and
//             1 - RR_i / ref_i + late_weight clip(RR_(i+1) / ref_i - 1, 0, 0.5)
//             + abrupt_weight clip(1 - RR_i / RR_(i-1), -0.3, 0.2) > max(least_sum, scatter * scatter_i)
// The last term is 0 after a beat that is not N or S, and not negative after an early one. After beats that are not N
// or S the time from the last one that is must tell the same: it is shorter than (1 - least_early) ref_i, or the beat
// is not early. So the beat after an interpolated V is not early, however soon it comes after the V. In the end runs
// are continued: after run_after early beats a beat is early as long as RR_i is below run_ratio times the ref of the
// run's first beat, where change_i is below run_change. Beats of kinds other than N and S do not end a run.
//
// A tachycardia that is hardly faster than the rhythm around it has beats that are not early enough. An even run of
// even_run beats or more is early, too, if it is faster than even_bpm and begins and ends suddenly (even_runs.h).
//
// A rate that changes and stays is no run. A run of settled_beats or more that does not end as suddenly as it begins is
// the usual rhythm from there on: its beats are not early, and the beats in it are judged by its own rate. It ends
// suddenly if the median of the settled_end intervals after it is settled_jump times that of as many at its end. A run
// whose median interval is below settled_ratio times that before it is a tachycardia, however long it lasts; if it goes
// on to the end of the recording, below settled_last_ratio times: 75 beats a minute may settle at 120, and not at 130.
//
// A run of usual_run beats or more is the usual rhythm, however it ends, if its median interval is at least usual_ratio
// times that of all beats that are neither early nor set aside: the rate had fallen for a while, and is back. Intervals
// above that median over run_ratio must then take at most usual_slow of the time. Where they take more, the median may
// be that of a tachycardia that counts as usual, or that of the day beside the night.
//
// A run of settled_beats or more is also the usual rhythm, however it ends, if its median interval tells of fewer than
// settled_sinus_bpm beats a minute, and that before it of fewer than settled_block_bpm: what is unusual there is the
// slow rhythm, as in a block, and no tachycardia is that slow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/rhythm/early_beats.h"
#include "kernels/runtime/buffer.h"

namespace beatscan {

struct EarlyOptions;

// RR intervals of K beats and what is usual around them. Of each pair of values the first counts.
template <class Context>
struct LocalRhythm {
  std::vector<double> rr_on_host;   // [K] samples; NaN where it is not known
  Buffer<double, Context> rr;       // [K] the same
  Buffer<double, Context> near;     // [K][2] near_i in samples
  Buffer<double, Context> changes;  // [K][2] change_i
  double sample_rate_hz;
};

// Returns the first of each pair of values: [K] of [K][2].
template <class Context>
Buffer<double, Context> firsts_of(Context& context, const Buffer<double, Context>& pairs) {
  Buffer<double, Context> firsts(context, pairs.size() / 2);
  first_of_pairs(context, pairs, firsts);
  return firsts;
}

// Works out the rhythm around each beat.
//   r_peaks  [K] samples, ascending
//   broken   [K - 1] 1 where the interval is not known
template <class Context>
LocalRhythm<Context> local_rhythm(Context&, const std::vector<double>& r_peaks, const std::vector<std::uint8_t>& broken,
                                  double sample_rate_hz, const EarlyOptions& options);

// Returns which beats are early, [K].
//   prev_ratio  [K] RhythmBuffers::prev_ratio
//   aside       [K] 1 for beats that are neither N nor S
template <class Context>
std::vector<std::uint8_t> early_beats(Context&, const LocalRhythm<Context>& rhythm, std::span<const float> prev_ratio,
                                      const std::vector<std::uint8_t>& aside, const EarlyOptions& options);

}  // namespace beatscan
