// The options for what a signal shows besides beats.
#include "app/config/field_makers.h"
#include "kernels/beats/quiet_intervals.h"

namespace beatscan {
namespace {

using namespace fields;

const Range kEvidencePart{0, 1}, kEvidenceSeconds{0, 3600}, kFrequency{0, 100};

std::string evidence_key(const char* key) { return std::string("episodes.") + key; }

void add_flutter_fields(std::vector<ConfigField>& fields, FlutterOptions& f) {
  const auto add = [&](const char* key, const char* meaning, double& target, Range range) {
    fields.push_back(number(evidence_key(key), meaning, target, range));
  };
  const auto count = [&](const char* key, const char* meaning, int& target, Range range) {
    fields.push_back(integer(evidence_key(key), meaning, target, range));
  };
  add("vf_leakage", "a block of VF differs less than this from a sine: its leakage, 0 to 1", f.leakage, kEvidencePart);
  add("vf_leakage_more", "the same for a block near one of VF", f.leakage_more, kEvidencePart);
  add("vf_rest", "the envelope of VF is above this share of its maximum for most of the time", f.rest, kEvidencePart);
  add("vf_rest_more", "the same for a block near one of VF", f.rest_more, kEvidencePart);
  add("vf_rest_share", "share of the time that counts as most", f.rest_share, kEvidencePart);
  add("vf_slowest_hz", "least mean frequency of VF, Hz", f.slowest_hz, kFrequency);
  add("vf_fastest_hz", "largest mean frequency of VF, Hz", f.fastest_hz, kFrequency);
  add("vf_range", "least range of a block of VF, over the usual range of the lead", f.least_range, {0, 100});
  add("vf_block_s", "length of a block, seconds; it is judged together with half a block on either side", f.block_s,
      {1, 10});
  count("vf_reach_blocks", "a block is near one of VF within so many blocks", f.reach_blocks, {0, 1000});
  count("vf_join_blocks", "at most so many other blocks lie between blocks of one episode", f.join_blocks, {0, 1000});
  count("vf_least_blocks", "an episode holds so many blocks of VF", f.least_blocks, {1, 1000});
  add("vfl_leakage", "VF with a median leakage below this and slow enough is flutter, VFL", f.flutter_leakage,
      kEvidencePart);
  add("vfl_hz", "VF with a median frequency below this and a low leakage is flutter, VFL; Hz", f.flutter_hz,
      kFrequency);
}

}  // namespace

void add_evidence_fields(std::vector<ConfigField>& fields, EvidenceOptions& e) {
  add_flutter_fields(fields, e.flutter);
  const auto add = [&](const char* key, const char* meaning, double& target, Range range) {
    fields.push_back(number(evidence_key(key), meaning, target, range));
  };
  add("silent_least_s", "shorter RR intervals are not looked at for a sign of a beat, seconds", e.silent_least_s,
      kEvidenceSeconds);
  add("silent_share", "a sign of a beat is an envelope of this share of that of the beats around", e.silent_share,
      kEvidencePart);
  add("silent_beside_s", "time beside either beat that is not looked at, seconds", e.silent_beside_s, {0, 10});
  fields.push_back(integer(evidence_key("silent_beats"), "number of beats on either side that these are",
                           e.silent_beats, {1, kMostQuietBeats}));
  add("noise_least_s", "shorter stretches of noise are no episode, seconds", e.noise_least_s, kEvidenceSeconds);
  add("noise_join_s", "stretches of noise with no more than this between them are one episode, seconds", e.noise_join_s,
      kEvidenceSeconds);
}

}  // namespace beatscan
