// The options for episodes: limits that differ between guidelines and users.
#include "app/config/field_makers.h"

namespace beatscan {

using namespace fields;

void add_episode_fields(std::vector<ConfigField>& fields, EpisodeOptions& episodes, EvidenceOptions& evidence) {
  const Range seconds{0, 3600}, rate{1, 1000};
  PrefixedFields to(fields, "episodes.");
  to.add("longest_rr_s", "longest RR interval within a rhythm, seconds", episodes.intervals.longest_s, {0.1, 100});
  BeatRunOptions& runs = episodes.runs;
  to.count("run_beats", "minimum number of consecutive beats of class V or S in a run", runs.least_beats, {2, 1000});
  to.add("vt_rate_bpm", "rate above which a run of V is ventricular tachycardia, beats a minute", runs.vt_rate_bpm,
         rate);
  to.add("svt_rate_bpm", "rate above which a run of S is supraventricular tachycardia, beats a minute",
         runs.svt_rate_bpm, rate);
  to.count("cycles", "minimum number of V beats in bigeminy or trigeminy", runs.least_cycles, {2, 1000});
  to.add("pause_s", "an RR interval longer than this is a pause, seconds", episodes.pauses.pause_s, seconds);
  to.add("asystole_s", "an RR interval longer than this is asystole, seconds", episodes.pauses.asystole_s, seconds);
  to.add("slow_bpm", "sinus rhythm below this rate is bradycardia, beats a minute", episodes.rates.slow_bpm, rate);
  to.add("fast_bpm", "sinus rhythm above this rate is tachycardia, beats a minute", episodes.rates.fast_bpm, rate);
  to.add("noise_least_s", "minimum duration of a noise episode, seconds", evidence.noise_least_s, seconds);
}

}  // namespace beatscan
