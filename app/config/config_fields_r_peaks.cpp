// The options for finding and ranking beats around R peaks.
#include "app/config/field_makers.h"
#include "kernels/detection/detect.h"
#include "kernels/lists/local_quantiles.h"
#include "kernels/rows/distances.h"

namespace beatscan {
namespace {

using namespace fields;

void add_detect_fields(std::vector<ConfigField>& fields, DetectOptions& d) {
  const auto add = [&](const char* key, const char* meaning, double& target, Range range) {
    fields.push_back(number(std::string("detect.") + key, meaning, target, range));
  };
  const Range seconds{0, 2}, share{0, 10}, hertz{1, 30};
  add("band_hz", "centre of the QRS band, Hz", d.band_hz, hertz);
  add("sharp_band_hz", "centre of the sharp band, which T waves do not reach, Hz", d.sharp_band_hz, hertz);
  add("smooth_s", "sigma of the Gaussian that smooths the envelope, seconds", d.smooth_s, {0.001, 0.2});
  add("distance_s",
      "a candidate for a beat is the largest value of the envelope within this time on either side, seconds",
      d.distance_s, {0.01, 1});
  add("edge_s", "least distance of a candidate from the ends of the recording, seconds", d.edge_s, seconds);
  add("block_s", "length of a block, seconds; the local level is the median of the maxima of the blocks around it",
      d.block_s, {0.5, 60});
  fields.push_back(integer("detect.level_blocks", "number of blocks on either side that the local level is taken from",
                           d.level_blocks, {0, kMaxReach}));
  add("floor_local", "the local level is at least this times the median of all block maxima", d.floor_local, share);
  add("floor_peak", "the local level is at least this times the largest maximum of the blocks around", d.floor_peak,
      {0, 1});
  add("keep", "least height of a beat, in local levels", d.keep, share);
  add("t_soon_s", "an early T wave follows a higher candidate within this time, seconds", d.t_soon_s, seconds);
  add("t_soon_height", "an early T wave has less than this share of the height of the candidate before",
      d.t_soon_height, share);
  add("t_late_s", "a late T wave follows a higher candidate within this time, seconds", d.t_late_s, seconds);
  add("t_late_sharp", "a late T wave has less than this share of the height of the candidate before in the sharp band",
      d.t_late_sharp, share);
  add("t_late_height", "a late T wave has less than this share of the height of the candidate before", d.t_late_height,
      share);
  fields.push_back(integer("detect.search_rounds",
                           "number of searches for missed beats in long gaps; each finds at most one beat in a gap",
                           d.search_rounds, {0, 10}));
  add("search_gap", "a gap is searched if it is longer than this times the local median RR", d.search_gap, {1, 100});
  fields.push_back(integer("detect.search_beats",
                           "number of intervals on either side that the local median RR is taken over", d.search_beats,
                           {0, kMaxReach}));
  add("search_height", "least height of a beat that is found in a gap, in local levels", d.search_height, share);
  add("search_soonest_s", "least time from the beat before to a beat that is found in a gap, seconds",
      d.search_soonest_s, seconds);
  add("search_after",
      "least time from the beat before to a beat that is found in a gap, as a share of the local median RR",
      d.search_after, share);
  add("search_before",
      "least time from a beat that is found in a gap to the next beat, as a share of the local median RR",
      d.search_before, share);
  fields.push_back(integer("detect.search_candidates", "number of candidates that are looked at in a gap",
                           d.search_candidates, {1, 10000}));
  add("noise_begins", "there is noise where the local level is less than this times the local rest of the envelope",
      d.noise_begins, {1, 1000});
  add("noise_full", "the share of noise is 1 where the local level is at most this times the local rest", d.noise_full,
      {1, 1000});
  add("blend_begins", "a second band is blended into the envelope where the level is less than this times the rest",
      d.blend_begins, {1, 1000});
  add("blend_full", "the second band has its full share where the level is at most this times the rest", d.blend_full,
      {1, 1000});
  add("blend_band_hz", "centre of the band that is blended into the envelope where there is noise, Hz", d.blend_band_hz,
      {1, 60});
  fields.push_back(integer("detect.noise_rounds", "rounds of dropping beats where there is noise; 0 drops none",
                           d.noise_rounds, {0, 10}));
  add("noise_regained", "least height of a dropped beat that comes back if it leaves a long gap, in local levels",
      d.noise_regained, share);
  add("peak_band_hz", "centre of the band in which the R peak is the largest value, Hz", d.peak_band_hz, hertz);
  add("peak_sigma_s",
      "sigma of the Gaussian that weights the band of the R peak around the peak of the envelope, seconds",
      d.peak_sigma_s, {0.001, 1});
  add("peak_reach_s", "the R peak is within this time on either side of the peak of the envelope, seconds",
      d.peak_reach_s, {0, 0.5});
}

void add_noise_fields(std::vector<ConfigField>& fields, NoiseOptions& noise) {
  fields.push_back(
      number("noise.band_hz", "centre of the band in which noise is measured, Hz", noise.band_hz, {15, 50}));
  fields.push_back(
      number("noise.after_s", "time after an R peak from which on noise is measured, seconds", noise.after_s, {0, 1}));
  fields.push_back(number("noise.before_s", "time before the next R peak up to which noise is measured, seconds",
                          noise.before_s, {0, 1}));
  fields.push_back(number("noise.reach_s",
                          "the noise of a beat is measured up to this far from it on either side, seconds",
                          noise.reach_s, {0.5, 60}));
  fields.push_back(number(
      "noise.most", "largest factor that a distance is divided by for the noise around the beat; 1: noise is left out",
      noise.most, {1, 1000}));
}

}  // namespace

void add_r_peak_fields(std::vector<ConfigField>& fields, Config& c) {
  add_detect_fields(fields, c.detect);
  fields.push_back(number("quality.flat_range",
                          "a block is flat if its range is at most this times the upper quartile of all blocks' ranges",
                          c.quality.flat_range, {0, 1}));
  fields.push_back(
      number("quality.clip_s",
             "a block is clipped if more than this of it is on plateaus at an end of the amplifier's range, seconds",
             c.quality.clip_s, {0, 10}));
  fields.push_back(number("quality.noisy_rest", "height above which the envelope is not at rest, in local levels",
                          c.quality.noisy_rest, {0, 10}));
  fields.push_back(number("quality.noisy_share",
                          "a block is noisy if its envelope is above noisy_rest for more than this share of the time",
                          c.quality.noisy_share, {0, 1}));
  fields.push_back(number("quality.noisy_low",
                          "lower end of the heights between which the envelope of noise lingers, in local levels",
                          c.quality.noisy_low, {0, 10}));
  fields.push_back(number("quality.noisy_high",
                          "upper end of the heights between which the envelope of noise lingers, in local levels",
                          c.quality.noisy_high, {0, 10}));
  fields.push_back(number("quality.noisy_between",
                          "a block is noisy if its envelope, and that of its neighbours, is between noisy_low and "
                          "noisy_high for more than this share of the time",
                          c.quality.noisy_between, {0, 1}));
  fields.push_back(number("quality.bridge_s",
                          "longest gap that is bridged by a straight line and drops no beat, seconds",
                          c.quality.bridge_s, {0, 0.2}));
  fields.push_back(number("quality.pause_s",
                          "longest flat stretch that may be a pause of the heart; in a longer one an electrode is off, "
                          "seconds",
                          c.quality.pause_s, {0, 3600}));
  fields.push_back(number("rows.before_s", "length of a row before the R peak, seconds", c.rows.before_s, {0.01, 1}));
  fields.push_back(number("rows.after_s", "length of a row after the R peak, seconds", c.rows.after_s, {0.01, 2}));
  fields.push_back(number("rows.low_hz", "lower end of the band of a row, Hz", c.rows.low_hz, {0.1, 5}));
  fields.push_back(number("rows.high_hz", "upper end of the band of a row, Hz", c.rows.high_hz, {5, 1000}));
  fields.push_back(integer("rows.points", "number of points in a row, a multiple of 64", c.rows.points, {64, 4096}));
  fields.push_back(integer("rows.reference_beats", "number of regular beats that show what is normal in the recording",
                           c.rows.reference_beats, {2, kMostReferences}));
  fields.push_back(integer("rhythm.reference_beats",
                           "number of intervals on either side that the reference RR is taken over",
                           c.rhythm.reference_beats, {1, kMostReach}));
  fields.push_back(number("rhythm.reference_quantile",
                          "quantile of the RR intervals around a beat that is its reference RR",
                          c.rhythm.reference_quantile, {0, 1}));
  fields.push_back(integer("rhythm.local_beats",
                           "number of intervals on either side that the local reference RR is taken over",
                           c.rhythm.local_beats, {1, kMostReach}));
  fields.push_back(
      number("rhythm.local_share",
             "weight of the score against the local reference RR; the score against the reference RR has the rest",
             c.rhythm.local_share, {0, 1}));
  fields.push_back(number("rhythm.cap", "largest value of either term of the rhythm score", c.rhythm.cap, {0, 1000}));
  fields.push_back(
      number("rhythm.prev_weight", "weight of the term for an early beat", c.rhythm.prev_weight, {0, 100}));
  fields.push_back(
      number("rhythm.next_weight", "weight of the term for the pause after a beat", c.rhythm.next_weight, {0, 100}));
  fields.push_back(
      number("rhythm.pause_s", "a pause is an RR interval of at least this, seconds", c.rhythm.pause_s, {0, 3600}));
  fields.push_back(number("rhythm.pause_ratio", "a pause is an RR interval of at least this times the reference RR",
                          c.rhythm.pause_ratio, {1, 100}));
  fields.push_back(
      number("rhythm.pause_weight", "weight of the term for the beat after a pause", c.rhythm.pause_weight, {0, 100}));
  fields.push_back(
      number("rhythm.typical_spread",
             "typical spread of log RR; deviations are measured by the mean of this and the recording's own spread",
             c.rhythm.typical_spread, {0.001, 10}));
  fields.push_back(number(
      "rhythm.regular", "largest logarithm of RR over the local median RR, up or down, before and after a regular beat",
      c.rhythm.regular, {0, 10}));
  add_noise_fields(fields, c.noise);
}

}  // namespace beatscan
