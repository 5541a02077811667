// The options of finding and ranking beats around R peaks.
#include "app/config/field_makers.h"
#include "kernels/beats/detect.h"
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
  add("band_hz", "centre of the QRS band", d.band_hz, hertz);
  add("sharp_band_hz", "centre of the band that T waves do not reach", d.sharp_band_hz, hertz);
  add("smooth_s", "sigma of the envelope's Gaussian", d.smooth_s, {0.001, 0.2});
  add("distance_s", "a candidate is the largest envelope value within this", d.distance_s, {0.01, 1});
  add("edge_s", "candidates are not nearer to an end of the recording", d.edge_s, seconds);
  add("block_s", "the local level is the median of the maxima of such blocks", d.block_s, {0.5, 60});
  fields.push_back(integer("detect.level_blocks", "so many blocks on either side", d.level_blocks, {0, kMaxReach}));
  add("floor_local", "the local level is at least this times the median of all blocks", d.floor_local, share);
  add("floor_peak", "and this times the largest of the blocks around", d.floor_peak, {0, 1});
  add("keep", "lowest height of a beat, in local levels", d.keep, share);
  add("t_soon_s", "a T wave follows a higher candidate within this", d.t_soon_s, seconds);
  add("t_soon_height", "with less than this share of its height", d.t_soon_height, share);
  add("t_late_s", "or within this", d.t_late_s, seconds);
  add("t_late_sharp", "with less than this share of its height in the sharp band", d.t_late_sharp, share);
  add("t_late_height", "and of its height", d.t_late_height, share);
  fields.push_back(integer("detect.search_rounds", "of search-back", d.search_rounds, {0, 10}));
  add("search_gap", "in gaps longer than this times the local median RR", d.search_gap, {1, 100});
  fields.push_back(integer("detect.search_beats", "which is taken over so many intervals on either side",
                           d.search_beats, {0, kMaxReach}));
  add("search_height", "lowest height of such a beat", d.search_height, share);
  add("search_soonest_s", "it is more than this behind the beat before", d.search_soonest_s, seconds);
  add("search_after", "and more than this share of the median RR", d.search_after, share);
  add("search_before", "and this share before the next beat", d.search_before, share);
  fields.push_back(integer("detect.search_candidates", "so many candidates of a gap are looked at", d.search_candidates,
                           {1, 10000}));
  add("peak_band_hz", "band whose largest value is the R peak", d.peak_band_hz, hertz);
  add("peak_sigma_s", "weighted by a Gaussian around the envelope's peak", d.peak_sigma_s, {0.001, 1});
  add("peak_reach_s", "within this on either side", d.peak_reach_s, {0, 0.5});
}

}  // namespace

void add_r_peak_fields(std::vector<ConfigField>& fields, Config& c) {
  add_detect_fields(fields, c.detect);
  fields.push_back(number("quality.flat_range",
                          "flat: a block spans at most this times the upper quartile of the blocks",
                          c.quality.flat_range, {0, 1}));
  fields.push_back(number("quality.clip_s", "clipped: more than this of a block on plateaus at an end of the range",
                          c.quality.clip_s, {0, 10}));
  fields.push_back(number("quality.noisy_rest", "noisy: the envelope is above this times the local level",
                          c.quality.noisy_rest, {0, 10}));
  fields.push_back(number("quality.noisy_share", "for more than this share of a block", c.quality.noisy_share, {0, 1}));
  fields.push_back(number("rows.before_s", "what a row covers before the R peak", c.rows.before_s, {0.01, 1}));
  fields.push_back(number("rows.after_s", "and behind it", c.rows.after_s, {0.01, 2}));
  fields.push_back(number("rows.low_hz", "lower end of the band", c.rows.low_hz, {0.1, 5}));
  fields.push_back(number("rows.high_hz", "upper end of the band", c.rows.high_hz, {5, 1000}));
  fields.push_back(integer("rows.points", "points of a row, a multiple of 64", c.rows.points, {64, 4096}));
  fields.push_back(integer("rows.reference_beats", "regular beats that stand for what is normal",
                           c.rows.reference_beats, {2, kMostReferences}));
  fields.push_back(integer("rhythm.reference_beats", "intervals on either side that the reference RR is taken over",
                           c.rhythm.reference_beats, {1, kMostReach}));
  fields.push_back(
      number("rhythm.reference_quantile", "of them that is the reference", c.rhythm.reference_quantile, {0, 1}));
  fields.push_back(number("rhythm.cap", "most that either term of the rhythm gives", c.rhythm.cap, {0, 1000}));
  fields.push_back(number("rhythm.prev_weight", "of being early", c.rhythm.prev_weight, {0, 100}));
  fields.push_back(number("rhythm.next_weight", "of the pause behind", c.rhythm.next_weight, {0, 100}));
  fields.push_back(number("rhythm.typical_spread", "of log RR; half of what deviations are measured by",
                          c.rhythm.typical_spread, {0.001, 10}));
  fields.push_back(number("rhythm.regular", "a beat is regular within this of the local median RR, as a logarithm",
                          c.rhythm.regular, {0, 10}));
}

}  // namespace beatscan
