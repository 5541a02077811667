// The options for episodes, told from beats.
#include "app/config/field_makers.h"
#include "kernels/rhythm/running_medians.h"

namespace beatscan {
namespace {

using namespace fields;

const Range kSeconds{0, 3600}, kRate{1, 1000}, kPart{0, 1}, kFewest{1, 10000};

void add_beat_run_fields(PrefixedFields& to, BeatRunOptions& runs) {
  to.count("run_beats", "fewest beats of class V or S in a row that are a run", runs.least_beats, {2, 1000});
  to.add("vt_rate_bpm", "rate above which a run of V is ventricular tachycardia, beats a minute", runs.vt_rate_bpm,
         kRate);
  to.add("svt_rate_bpm", "rate above which a run of S is supraventricular tachycardia, beats a minute",
         runs.svt_rate_bpm, kRate);
  to.add("vt_part_ratio",
         "three or more V within a slow run are ventricular tachycardia if their longest interval is below this times "
         "the shortest, and the intervals beside them are at least this times the longest; 1: never",
         runs.part_ratio, {1, 3});
  to.count("cycles", "fewest V beats of bigeminy or trigeminy", runs.least_cycles, {2, 1000});
}

void add_rate_fields(PrefixedFields& to, RateOptions& rates) {
  to.add("slow_bpm", "sinus rhythm below this rate is bradycardia, beats a minute", rates.slow_bpm, kRate);
  to.add("fast_bpm", "sinus rhythm above this rate is tachycardia, beats a minute", rates.fast_bpm, kRate);
  to.count("rate_reach", "number of intervals on either side whose median gives the rate of a slow or fast rhythm",
           rates.reach, {0, kMostMedianReach});
  to.count("rate_fewest", "fewest intervals between normal beats of bradycardia or tachycardia", rates.fewest_intervals,
           kFewest);
  to.add("rate_least_s", "least duration of a slow or fast rhythm, seconds; at most half the recording", rates.least_s,
         kSeconds);
  to.add("rate_join_s", "longest stretch of other intervals over which a slow or fast rhythm goes on, seconds",
         rates.join_s, kSeconds);
}

void add_wide_fields(PrefixedFields& to, WideTachycardiaOptions& wide) {
  to.add("wide_one_shape", "a tachycardia that looks like VF has at least this share of V beats of one template",
         wide.one_shape, kPart);
  to.add("wide_variation",
         "the intervals of a tachycardia that looks like VF deviate by less than this share of their mean",
         wide.variation, kPart);
  to.add("wide_fastest_bpm", "a tachycardia that looks like VF is slower than this, beats a minute", wide.fastest_bpm,
         kRate);
  to.add("wide_slowest_bpm", "a tachycardia that looks like VF is faster than this, beats a minute", wide.slowest_bpm,
         kRate);
  to.add("wide_covered", "the beats of a tachycardia that looks like VF fill at least this share of the time",
         wide.covered, kPart);
  to.add("regular_variation",
         "regular beats that look like VF have intervals that deviate by less than this share of their mean",
         wide.regular_variation, kPart);
  to.add("regular_covered", "regular beats that look like VF fill at least this share of the time",
         wide.regular_covered, kPart);
  to.count("regular_beats", "fewest regular beats that look like VF", wide.regular_beats, {2, 10000});
}

}  // namespace

void add_episode_fields(std::vector<ConfigField>& fields, EpisodeOptions& episodes) {
  PrefixedFields to(fields, "episodes.");
  to.add("shortest_rr_s", "shortest RR interval between two heartbeats, seconds; a shorter one is not used",
         episodes.intervals.shortest_s, {0, 10});
  to.add("longest_rr_s", "longest RR interval between two beats that follow each other in a rhythm, seconds",
         episodes.intervals.longest_s, {0.1, 100});
  add_beat_run_fields(to, episodes.runs);
  to.add("pause_s", "an RR interval longer than this is a pause, seconds", episodes.pauses.pause_s, kSeconds);
  to.add("asystole_s", "an RR interval longer than this is asystole, seconds", episodes.pauses.asystole_s, kSeconds);
  add_rate_fields(to, episodes.rates);
  to.add("hrv_covered", "least share of normal intervals in a window of the spectrum of heart rate variability",
         episodes.hrv.covered, kPart);
  add_wide_fields(to, episodes.wide);
}

}  // namespace beatscan
