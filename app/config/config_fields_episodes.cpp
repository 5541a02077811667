// The options for episodes, told from beats.
#include "app/config/field_makers.h"
#include "kernels/rhythm/alike_intervals.h"

namespace beatscan {
namespace {

using namespace fields;

const Range kSeconds{0, 3600}, kRate{1, 1000}, kPart{0, 1}, kFewest{1, 10000};

void add_af_fields(PrefixedFields& to, AfOptions& af) {
  to.add("af_alike", "two RR intervals are alike if the logarithm of their ratio is below this", af.alike, {1e-4, 1});
  to.add("af_share", "atrial fibrillation has a smaller share of alike pairs of intervals", af.share, kPart);
  to.add("af_early", "an interval is early below this times the median around", af.early, {0, 2});
  to.count("af_early_reach", "number of intervals on either side that this median is taken over", af.early_reach,
           {0, kMostMedianReach});
  to.add("af_alike_rest", "the same as af_alike, among intervals without early ones", af.alike_rest, {1e-4, 1});
  to.add("af_share_rest", "the same as af_share, among intervals without early ones", af.share_rest, {0, 2});
  to.count("af_partners", "number of intervals on either side that a pair is compared with", af.partners, {1, 1000});
  to.count("af_around", "number of intervals on either side that shares are averaged over", af.around, {0, 10000});
  to.count("af_fewest", "with fewer intervals it is not told whether there is atrial fibrillation", af.fewest_intervals,
           kFewest);
  to.add("af_least_s", "least duration of atrial fibrillation, seconds; at most half the recording", af.least_s,
         kSeconds);
  to.add("af_most_breathing",
         "intervals that go up and down by this much of their power, as with breathing, are no atrial fibrillation",
         af.most_breathing, {0, 2});
  to.add("af_join_s", "atrial fibrillation goes on over intervals that do not count for so many seconds", af.join_s,
         kSeconds);
}

void add_beat_run_fields(PrefixedFields& to, BeatRunOptions& runs) {
  to.count("run_beats", "number of beats of kind V or S in a row that are a run", runs.least_beats, {2, 1000});
  to.add("vt_rate_bpm", "a faster run of V is ventricular tachycardia, beats a minute", runs.vt_rate_bpm, kRate);
  to.add("svt_rate_bpm", "a faster run of S is supraventricular tachycardia, beats a minute", runs.svt_rate_bpm, kRate);
  to.count("cycles", "least number of V in bigeminy and trigeminy", runs.least_cycles, {2, 1000});
}

void add_rate_fields(PrefixedFields& to, RateOptions& rates) {
  to.add("slow_bpm", "sinus rhythm below this rate is bradycardia, beats a minute", rates.slow_bpm, kRate);
  to.add("fast_bpm", "sinus rhythm above this rate is tachycardia, beats a minute", rates.fast_bpm, kRate);
  to.count("rate_reach", "number of intervals on either side whose median gives the rate", rates.reach,
           {0, kMostMedianReach});
  to.count("rate_fewest", "with fewer intervals between normal beats no slow or fast rhythm is told",
           rates.fewest_intervals, kFewest);
  to.add("rate_least_s", "least duration of a slow or fast rhythm, seconds; at most half the recording", rates.least_s,
         kSeconds);
  to.add("rate_join_s", "a slow or fast rhythm goes on over other intervals for so many seconds", rates.join_s,
         kSeconds);
}

void add_wide_fields(PrefixedFields& to, WideTachycardiaOptions& wide) {
  to.add("wide_one_shape", "a tachycardia that looks like VF has this share of V beats of one template", wide.one_shape,
         kPart);
  to.add("wide_variation", "the intervals of such a tachycardia deviate by less than this share of their mean",
         wide.variation, kPart);
  to.add("wide_fastest_bpm", "such a tachycardia is slower than this, beats a minute", wide.fastest_bpm, kRate);
  to.add("regular_variation", "beats that look like VF are beats if their intervals deviate by less than this share",
         wide.regular_variation, kPart);
  to.add("regular_covered", "and if they fill this share of the time", wide.regular_covered, kPart);
  to.count("regular_beats", "and if there are so many of them", wide.regular_beats, {2, 10000});
  to.add("restless_bpm", "noise that holds regular beats of one shape at a faster rate is none, beats a minute",
         wide.fast_bpm, kRate);
}

}  // namespace

void add_episode_fields(std::vector<ConfigField>& fields, EpisodeOptions& episodes) {
  PrefixedFields to(fields, "episodes.");
  to.add("shortest_rr_s", "a shorter interval is none between two heartbeats, seconds", episodes.intervals.shortest_s,
         {0, 10});
  to.add("longest_rr_s", "beats farther apart do not follow each other in a rhythm, seconds",
         episodes.intervals.longest_s, {0.1, 100});
  add_af_fields(to, episodes.af);
  add_beat_run_fields(to, episodes.runs);
  to.add("pause_s", "a longer RR interval is a pause, seconds", episodes.pauses.pause_s, kSeconds);
  to.add("asystole_s", "a longer RR interval is asystole, seconds", episodes.pauses.asystole_s, kSeconds);
  add_rate_fields(to, episodes.rates);
  to.add("hrv_covered", "least share of normal intervals in a window of the spectrum of heart rate variability",
         episodes.hrv.covered, kPart);
  add_wide_fields(to, episodes.wide);
}

}  // namespace beatscan
