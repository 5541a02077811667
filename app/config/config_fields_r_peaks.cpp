// The options for finding and ranking beats with method r_peaks. Jointly fitted constants, such as the detection
// thresholds, are not options: they are in detect_options.h and similar headers.
#include "app/config/field_makers.h"
#include "kernels/lists/local_quantiles.h"
#include "kernels/windows/distances.h"

namespace beatscan {
namespace {

using namespace fields;

void add_detect_fields(PrefixedFields to, DetectOptions& d) {
  to.add("band_hz", "centre of the QRS band, Hz", d.band_hz, {1, 30});
  to.add("smooth_s", "sigma of the Gaussian that smooths the envelope, seconds", d.smooth_s, {0.001, 0.2});
  to.add("distance_s", "a beat candidate is the maximum of the envelope within this time on either side, seconds",
         d.distance_s, {0.01, 1});
  to.add("keep", "minimum height of a beat, in local levels", d.keep, {0, 10});
}

void add_quality_fields(PrefixedFields to, QualityOptions& q) {
  to.add("bridge_s", "longest gap that is interpolated without dropping beats, seconds", q.bridge_s, {0, 0.2});
}

void add_row_fields(PrefixedFields to, RowOptions& rows) {
  to.add("before_s", "length of a row before the R peak, seconds", rows.before_s, {0.01, 1});
  to.add("after_s", "length of a row after the R peak, seconds", rows.after_s, {0.01, 2});
  to.add("low_hz", "lower end of the band of a row, Hz", rows.low_hz, {0.1, 5});
  to.add("high_hz", "upper end of the band of a row, Hz", rows.high_hz, {5, 1000});
  to.count("points", "number of points in a row, a multiple of 64", rows.points, {64, 4096});
  to.count("reference_beats", "number of regular beats that define the normal beat of the recording",
           rows.reference_beats, {2, kMostReferences});
}

void add_rhythm_fields(PrefixedFields to, RhythmOptions& r) {
  to.count("reference_beats", "number of intervals on either side for the reference RR", r.reference_beats,
           {1, kMostReach});
  to.add("prev_weight", "weight of the term for prematurity", r.prev_weight, {0, 100});
  to.add("next_weight", "weight of the term for the compensatory pause", r.next_weight, {0, 100});
  to.add("pause_s", "minimum RR interval of a pause, seconds", r.pause_s, {0, 3600});
}

}  // namespace

void add_r_peak_fields(std::vector<ConfigField>& fields, Config& c) {
  add_detect_fields({fields, "detect."}, c.detect);
  add_quality_fields({fields, "quality."}, c.quality);
  fields.push_back(text("quality.model",
                        "model of the signal-quality index, a file of scripts/train_quality; empty: the built-in one",
                        c.quality.model, 4096));
  add_row_fields({fields, "rows."}, c.rows);
  add_rhythm_fields({fields, "rhythm."}, c.rhythm);
  fields.push_back(number("noise.most",
                          "maximum factor by which noise around the beat reduces a distance; 1: noise is ignored",
                          c.noise.most, {1, 1000}));
}

}  // namespace beatscan
