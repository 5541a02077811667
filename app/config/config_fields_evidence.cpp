// The options for what a signal shows besides beats.
#include "app/config/field_makers.h"
#include "kernels/rhythm/quiet_intervals.h"

namespace beatscan {
namespace {

using namespace fields;

const Range kEvidencePart{0, 1}, kEvidenceSeconds{0, 3600}, kFrequency{0, 100}, kTimes{0, 1e6};

void add_flutter_fields(PrefixedFields& to, FlutterOptions& f) {
  to.add("vf_leakage", "largest leakage of a block of VF: how much it differs from a sine, 0 to 1", f.leakage,
         kEvidencePart);
  to.add("vf_leakage_more", "vf_leakage for a block near one of VF", f.leakage_more, kEvidencePart);
  to.add("vf_rest", "the envelope of VF is above this share of its maximum for most of the time (vf_rest_share)",
         f.rest, kEvidencePart);
  to.add("vf_rest_more", "vf_rest for a block near one of VF", f.rest_more, kEvidencePart);
  to.add("vf_rest_share", "share of the time for which the envelope of VF is above vf_rest times its maximum",
         f.rest_share, kEvidencePart);
  to.add("vf_slowest_hz", "least mean frequency of VF, Hz", f.slowest_hz, kFrequency);
  to.add("vf_fastest_hz", "largest mean frequency of VF, Hz", f.fastest_hz, kFrequency);
  to.add("vf_range", "least range of a block of VF, over the usual range of the lead", f.least_range, {0, 100});
  to.add("vf_block_s",
         "length of a block that is searched for VF, seconds; half a block on either side is judged with it", f.block_s,
         {1, 10});
  to.count("vf_reach_blocks", "largest number of blocks from a block of VF to one that is near it", f.reach_blocks,
           {0, 1000});
  to.count("vf_join_blocks", "most other blocks between two blocks of one episode of VF", f.join_blocks, {0, 1000});
  to.count("vf_least_blocks", "fewest blocks of VF in an episode", f.least_blocks, {1, 1000});
  to.add("vfl_leakage", "VF is flutter (VFL) if its median leakage is below this and its median frequency below vfl_hz",
         f.flutter_leakage, kEvidencePart);
  to.add("vfl_hz",
         "VF is flutter (VFL) if its median frequency is below this and its median leakage below vfl_leakage, Hz",
         f.flutter_hz, kFrequency);
}

void add_unrest_fields(PrefixedFields& to, EvidenceOptions& e) {
  to.add("unrest_hum",
         "an electrode is off in a pause whose hum is above this times that between beats (see unrest_hum_share)",
         e.unrest_hum, kTimes);
  to.add("unrest_hum_share",
         "share of the usual range of the lead that the hum must also exceed where an electrode is off",
         e.unrest_hum_share, kEvidencePart);
  to.add("unrest_drift",
         "an electrode is off in a pause whose drift is above this times that of the baseline beside it (see "
         "unrest_drift_share)",
         e.unrest_drift, kTimes);
  to.add("unrest_drift_share",
         "share of the usual range of the lead that the drift must also exceed where an electrode is off",
         e.unrest_drift_share, kEvidencePart);
  to.add("doubt_hum", "an electrode may be off in a pause whose hum is above this times that between beats",
         e.doubt_hum, kTimes);
  to.add("doubt_still", "an electrode may be off in a pause whose hum is below this times that between beats",
         e.doubt_still, kTimes);
  to.add("doubt_drift",
         "an electrode may be off in a pause whose drift is above this times that of the baseline beside it (see "
         "doubt_drift_share)",
         e.doubt_drift, kTimes);
  to.add("doubt_drift_share",
         "share of the usual range of the lead that the drift must also exceed where an electrode may be off",
         e.doubt_drift_share, kEvidencePart);
}

}  // namespace

void add_evidence_fields(std::vector<ConfigField>& fields, EvidenceOptions& e) {
  PrefixedFields to(fields, "episodes.");
  add_flutter_fields(to, e.flutter);
  to.add("silent_least_s", "shortest RR interval that is searched for a sign of a beat, seconds", e.silent_least_s,
         kEvidenceSeconds);
  to.add("silent_share",
         "least envelope that is a sign of a beat in a long interval, as a share of that at the beats around it",
         e.silent_share, kEvidencePart);
  to.add("silent_beside_s",
         "time beside the two beats of a long interval that is not searched for a sign of a beat, seconds",
         e.silent_beside_s, {0, 10});
  to.count("silent_beats", "number of beats on either side of a long interval that it is compared with", e.silent_beats,
           {1, kMostQuietBeats});
  add_unrest_fields(to, e);
  to.add("noise_least_s", "shortest stretch of noise that is an episode, seconds", e.noise_least_s, kEvidenceSeconds);
  to.add("noise_join_s", "longest time between two stretches of noise that are one episode, seconds", e.noise_join_s,
         kEvidenceSeconds);
}

}  // namespace beatscan
