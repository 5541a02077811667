// The options for what a signal shows besides beats.
#include "app/config/field_makers.h"
#include "kernels/rhythm/quiet_intervals.h"

namespace beatscan {
namespace {

using namespace fields;

const Range kEvidencePart{0, 1}, kEvidenceSeconds{0, 3600}, kFrequency{0, 100}, kTimes{0, 1e6};

void add_flutter_fields(PrefixedFields& to, FlutterOptions& f) {
  to.add("vf_leakage", "a block of VF differs less than this from a sine: its leakage, 0 to 1", f.leakage,
         kEvidencePart);
  to.add("vf_leakage_more", "the same for a block near one of VF", f.leakage_more, kEvidencePart);
  to.add("vf_rest", "the envelope of VF is above this share of its maximum for most of the time", f.rest,
         kEvidencePart);
  to.add("vf_rest_more", "the same for a block near one of VF", f.rest_more, kEvidencePart);
  to.add("vf_rest_share", "share of the time that counts as most", f.rest_share, kEvidencePart);
  to.add("vf_slowest_hz", "least mean frequency of VF, Hz", f.slowest_hz, kFrequency);
  to.add("vf_fastest_hz", "largest mean frequency of VF, Hz", f.fastest_hz, kFrequency);
  to.add("vf_range", "least range of a block of VF, over the usual range of the lead", f.least_range, {0, 100});
  to.add("vf_block_s", "length of a block, seconds; it is judged together with half a block on either side", f.block_s,
         {1, 10});
  to.count("vf_reach_blocks", "a block is near one of VF within so many blocks", f.reach_blocks, {0, 1000});
  to.count("vf_join_blocks", "at most so many other blocks lie between blocks of one episode", f.join_blocks,
           {0, 1000});
  to.count("vf_least_blocks", "an episode holds so many blocks of VF", f.least_blocks, {1, 1000});
  to.add("vfl_leakage", "VF with a median leakage below this and slow enough is flutter, VFL", f.flutter_leakage,
         kEvidencePart);
  to.add("vfl_hz", "VF with a median frequency below this and a low leakage is flutter, VFL; Hz", f.flutter_hz,
         kFrequency);
}

void add_unrest_fields(PrefixedFields& to, EvidenceOptions& e) {
  to.add("unrest_hum", "an electrode is off in a pause whose hum is above this times that between beats", e.unrest_hum,
         kTimes);
  to.add("unrest_hum_share", "and above this share of the usual range of the lead", e.unrest_hum_share, kEvidencePart);
  to.add("unrest_drift", "or whose drift is above this times that of the baseline beside", e.unrest_drift, kTimes);
  to.add("unrest_drift_share", "and above this share of the usual range of the lead", e.unrest_drift_share,
         kEvidencePart);
  to.add("doubt_hum", "an electrode may be off in a pause whose hum is above this times that between beats",
         e.doubt_hum, kTimes);
  to.add("doubt_still", "or whose hum is below this times that between beats", e.doubt_still, kTimes);
  to.add("doubt_drift", "or whose drift is above this times that of the baseline beside", e.doubt_drift, kTimes);
  to.add("doubt_drift_share", "and above this share of the usual range of the lead", e.doubt_drift_share,
         kEvidencePart);
}

}  // namespace

void add_evidence_fields(std::vector<ConfigField>& fields, EvidenceOptions& e) {
  PrefixedFields to(fields, "episodes.");
  add_flutter_fields(to, e.flutter);
  to.add("silent_least_s", "shorter RR intervals are not looked at for a sign of a beat, seconds", e.silent_least_s,
         kEvidenceSeconds);
  to.add("silent_share", "a sign of a beat is an envelope of this share of that of the beats around", e.silent_share,
         kEvidencePart);
  to.add("silent_beside_s", "time beside either beat that is not looked at, seconds", e.silent_beside_s, {0, 10});
  to.count("silent_beats", "number of beats on either side that these are", e.silent_beats, {1, kMostQuietBeats});
  add_unrest_fields(to, e);
  to.add("noise_least_s", "shorter stretches of noise are no episode, seconds", e.noise_least_s, kEvidenceSeconds);
  to.add("noise_join_s", "stretches of noise with no more than this between them are one episode, seconds",
         e.noise_join_s, kEvidenceSeconds);
}

}  // namespace beatscan
