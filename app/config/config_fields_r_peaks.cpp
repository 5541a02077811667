// The options for finding and ranking beats around R peaks.
#include "app/config/field_makers.h"
#include "kernels/detection/detect.h"
#include "kernels/lists/local_quantiles.h"
#include "kernels/rows/distances.h"

namespace beatscan {
namespace {

using namespace fields;

const Range kDetectSeconds{0, 2}, kDetectShare{0, 10}, kHertz{1, 30};

void add_envelope_fields(PrefixedFields& to, DetectOptions& d) {
  to.add("band_hz", "centre of the QRS band, Hz", d.band_hz, kHertz);
  to.add("sharp_band_hz", "centre of the sharp band, which T waves do not reach, Hz", d.sharp_band_hz, kHertz);
  to.add("smooth_s", "sigma of the Gaussian that smooths the envelope, seconds", d.smooth_s, {0.001, 0.2});
  to.add("distance_s",
         "a candidate for a beat is the largest value of the envelope within this time on either side, seconds",
         d.distance_s, {0.01, 1});
  to.add("edge_s", "least distance of a candidate from the ends of the recording, seconds", d.edge_s, kDetectSeconds);
  to.add("block_s", "length of a block, seconds; the local level is the median of the maxima of the blocks around it",
         d.block_s, {0.5, 60});
  to.count("level_blocks", "number of blocks on either side that the local level is taken from", d.level_blocks,
           {0, kMaxReach});
  to.add("floor_local", "the local level is at least this times the median of all block maxima", d.floor_local,
         kDetectShare);
  to.add("floor_peak", "the local level is at least this times the largest maximum of the blocks around", d.floor_peak,
         {0, 1});
}

void add_beat_fields(PrefixedFields& to, DetectOptions& d) {
  to.add("keep", "least height of a beat, in local levels", d.keep, kDetectShare);
  to.add("t_soon_s", "an early T wave follows a higher candidate within this time, seconds", d.t_soon_s,
         kDetectSeconds);
  to.add("t_soon_height", "an early T wave has less than this share of the height of the candidate before",
         d.t_soon_height, kDetectShare);
  to.add("t_late_s", "a late T wave follows a higher candidate within this time, seconds", d.t_late_s, kDetectSeconds);
  to.add("t_late_sharp",
         "a late T wave has less than this share of the height of the candidate before in the sharp band",
         d.t_late_sharp, kDetectShare);
  to.add("t_late_height", "a late T wave has less than this share of the height of the candidate before",
         d.t_late_height, kDetectShare);
}

void add_search_fields(PrefixedFields& to, DetectOptions& d) {
  to.count("search_rounds", "number of searches for missed beats in long gaps; each finds at most one beat in a gap",
           d.search_rounds, {0, 10});
  to.add("search_gap", "a gap is searched if it is longer than this times the local median RR", d.search_gap, {1, 100});
  to.count("search_beats", "number of intervals, and beats, on either side that local medians are taken over",
           d.search_beats, {0, kMaxReach});
  to.add("search_height", "least height of a beat that is found in a gap, in local levels", d.search_height,
         kDetectShare);
  to.add("search_soonest_s", "least time from the beat before to a beat that is found in a gap, seconds",
         d.search_soonest_s, kDetectSeconds);
  to.add("search_after",
         "least time from the beat before to a beat that is found in a gap, as a share of the local median RR",
         d.search_after, kDetectShare);
  to.add("search_before",
         "least time from a beat that is found in a gap to the next beat, as a share of the local median RR",
         d.search_before, kDetectShare);
  to.count("search_candidates", "number of candidates that are looked at in a gap", d.search_candidates, {1, 10000});
  to.add("sharp_gap", "a gap is searched for sharp beats if it is longer than this times the local median RR",
         d.sharp_gap, {1, 100});
  to.add("sharp_height", "least height of a sharp beat that is found in a gap, in local levels", d.sharp_height,
         kDetectShare);
  to.add("sharp_soonest_s", "least time from the beat before to a sharp beat that is found in a gap, seconds",
         d.sharp_soonest_s, kDetectSeconds);
  to.add("sharp_before",
         "least time from a sharp beat that is found in a gap to the next beat, as a share of the local median RR",
         d.sharp_before, kDetectShare);
  to.add("sharp_least", "a sharp beat has at least this times the local median of height in the sharp band over height",
         d.sharp_least, kDetectShare);
  to.add("sharp_most", "a sharp beat has at most this times the local median of height in the sharp band over height",
         d.sharp_most, kDetectShare);
}

void add_noise_rules_fields(PrefixedFields& to, DetectOptions& d) {
  to.add("noise_begins", "there is noise where the local level is less than this times the local rest of the envelope",
         d.noise_begins, {1, 1000});
  to.add("noise_full", "the share of noise is 1 where the local level is at most this times the local rest",
         d.noise_full, {1, 1000});
  to.add("blend_begins", "a second band is blended into the envelope where the level is less than this times the rest",
         d.blend_begins, {1, 1000});
  to.add("blend_full", "the second band has its full share where the level is at most this times the rest",
         d.blend_full, {1, 1000});
  to.add("blend_band_hz", "centre of the band that is blended into the envelope where there is noise, Hz",
         d.blend_band_hz, {1, 60});
  to.count("noise_rounds", "rounds of dropping beats where there is noise; 0 drops none", d.noise_rounds, {0, 10});
  to.add("noise_regained", "least height of a dropped beat that comes back if it leaves a long gap, in local levels",
         d.noise_regained, kDetectShare);
}

void add_place_fields(PrefixedFields& to, DetectOptions& d) {
  to.add("peak_band_hz", "centre of the band in which the R peak is the largest value, Hz", d.peak_band_hz, kHertz);
  to.add("peak_sigma_s",
         "sigma of the Gaussian that weights the band of the R peak around the peak of the envelope, seconds",
         d.peak_sigma_s, {0.001, 1});
  to.add("peak_reach_s", "the R peak is within this time on either side of the peak of the envelope, seconds",
         d.peak_reach_s, {0, 0.5});
}

void add_quality_fields(PrefixedFields& to, QualityOptions& q) {
  to.add("flat_range", "a block is flat if its range is at most this times the upper quartile of all blocks' ranges",
         q.flat_range, {0, 1});
  to.add("clip_s",
         "a block is clipped if more than this of it is on plateaus at an end of the amplifier's range, seconds",
         q.clip_s, {0, 10});
  to.add("noisy_rest", "height above which the envelope is not at rest, in local levels", q.noisy_rest, {0, 10});
  to.add("noisy_share", "a block is noisy if its envelope is above noisy_rest for more than this share of the time",
         q.noisy_share, {0, 1});
  to.add("noisy_low", "lower end of the heights between which the envelope of noise lingers, in local levels",
         q.noisy_low, {0, 10});
  to.add("noisy_high", "upper end of the heights between which the envelope of noise lingers, in local levels",
         q.noisy_high, {0, 10});
  to.add("noisy_between",
         "a block is noisy if its envelope, and that of its neighbours, is between noisy_low and noisy_high for more "
         "than this share of the time",
         q.noisy_between, {0, 1});
  to.add("bridge_s", "longest gap that is bridged by a straight line and drops no beat, seconds", q.bridge_s, {0, 0.2});
  to.add("pause_s",
         "longest flat stretch that may be a pause of the heart; in a longer one an electrode is off, seconds",
         q.pause_s, {0, 3600});
}

void add_row_fields(PrefixedFields& to, RowOptions& rows) {
  to.add("before_s", "length of a row before the R peak, seconds", rows.before_s, {0.01, 1});
  to.add("after_s", "length of a row after the R peak, seconds", rows.after_s, {0.01, 2});
  to.add("low_hz", "lower end of the band of a row, Hz", rows.low_hz, {0.1, 5});
  to.add("high_hz", "upper end of the band of a row, Hz", rows.high_hz, {5, 1000});
  to.count("points", "number of points in a row, a multiple of 64", rows.points, {64, 4096});
  to.count("reference_beats", "number of regular beats that show what is normal in the recording", rows.reference_beats,
           {2, kMostReferences});
}

void add_rhythm_fields(PrefixedFields& to, RhythmOptions& r) {
  to.count("reference_beats", "number of intervals on either side that the reference RR is taken over",
           r.reference_beats, {1, kMostReach});
  to.add("reference_quantile", "quantile of the RR intervals around a beat that is its reference RR",
         r.reference_quantile, {0, 1});
  to.count("local_beats", "number of intervals on either side that the local reference RR is taken over", r.local_beats,
           {1, kMostReach});
  to.add("local_share",
         "weight of the score against the local reference RR; the score against the reference RR has the rest",
         r.local_share, {0, 1});
  to.add("cap", "largest value of either term of the rhythm score", r.cap, {0, 1000});
  to.add("prev_weight", "weight of the term for an early beat", r.prev_weight, {0, 100});
  to.add("next_weight", "weight of the term for the pause after a beat", r.next_weight, {0, 100});
  to.add("pause_s", "a pause is an RR interval of at least this, seconds", r.pause_s, {0, 3600});
  to.add("pause_ratio", "a pause is an RR interval of at least this times the reference RR", r.pause_ratio, {1, 100});
  to.add("pause_weight", "weight of the term for the beat after a pause", r.pause_weight, {0, 100});
  to.add("typical_spread",
         "typical spread of log RR; deviations are measured by the mean of this and the recording's own spread",
         r.typical_spread, {0.001, 10});
  to.add("regular", "largest logarithm of RR over the local median RR, up or down, before and after a regular beat",
         r.regular, {0, 10});
}

void add_noise_fields(PrefixedFields& to, NoiseOptions& noise) {
  to.add("band_hz", "centre of the band in which noise is measured, Hz", noise.band_hz, {15, 50});
  to.add("after_s", "time after an R peak from which on noise is measured, seconds", noise.after_s, {0, 1});
  to.add("before_s", "time before the next R peak up to which noise is measured, seconds", noise.before_s, {0, 1});
  to.add("reach_s", "the noise of a beat is measured up to this far from it on either side, seconds", noise.reach_s,
         {0.5, 60});
  to.add("most", "largest factor that a distance is divided by for the noise around the beat; 1: noise is left out",
         noise.most, {1, 1000});
}

}  // namespace

void add_r_peak_fields(std::vector<ConfigField>& fields, Config& c) {
  PrefixedFields detect(fields, "detect."), quality(fields, "quality."), rows(fields, "rows."),
      rhythm(fields, "rhythm."), noise(fields, "noise.");
  add_envelope_fields(detect, c.detect);
  add_beat_fields(detect, c.detect);
  add_search_fields(detect, c.detect);
  add_noise_rules_fields(detect, c.detect);
  add_place_fields(detect, c.detect);
  add_quality_fields(quality, c.quality);
  fields.push_back(
      text("quality.model",
           "model of the signal-quality index, a file of scripts/train_quality; empty: the one that is built in",
           c.quality.model, 4096));
  add_row_fields(rows, c.rows);
  add_rhythm_fields(rhythm, c.rhythm);
  add_noise_fields(noise, c.noise);
}

}  // namespace beatscan
