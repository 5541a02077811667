#include "app/output/rhythm_state.h"

#include <algorithm>
#include <vector>

#include "app/output/output_folder.h"
#include "app/output/run_result.h"

namespace beatscan {

Json rhythm_json(const RunResult& result) {
  if (!result.rhythm.findings) return nullptr;
  Json rhythm = {{"model_sha256", result.rhythm.model_sha256}};
  const Rhythms& recognised = result.rhythm.recognised;
  rhythm["states"] = recognised.states;
  rhythm["decides"] = recognised.decides;
  if (const auto& evidence = result.beats.evidence)
    rhythm["silent_ends"] = {evidence->certain_start, evidence->certain_end};
  return rhythm;
}

namespace {

std::vector<float> beat_state(const RunResult& result) {
  const BeatList& found = result.beats.found;
  const Findings& findings = *result.classes.findings;
  const auto& evidence = result.beats.evidence;
  const std::int64_t beats = std::ssize(found.r_peaks);
  std::vector<float> state(beats * kStateColumns);
  for (std::int64_t i = 0; i < beats; ++i) {
    float* const own = &state[i * kStateColumns];
    if (!findings.posteriors.empty())
      std::copy_n(&findings.posteriors[i * kPosteriorClasses], kPosteriorClasses, own + kStatePosteriors);
    own[kStatePaced] = findings.is_paced(i);
    if (i + 1 == beats) continue;
    own[kStateBroken] = found.broken[i];
    if (!evidence) continue;
    own[kStateSilent] = evidence->silent[i];
    own[kStateCertain] = evidence->certainty_of(i);
  }
  return state;
}

std::vector<double> segments_of(const Rhythms& rhythms) {
  std::vector<double> values;
  for (const RhythmSegment& its : rhythms.segments)
    values.insert(values.end(), {its.start_s, its.end_s, static_cast<double>(its.state), its.confidence});
  return values;
}

std::vector<double> evidence_of(const RunResult& result) {
  std::vector<double> values;
  if (!result.beats.evidence) return values;
  for (const Episode& its : result.beats.evidence->episodes)
    values.insert(values.end(), {its.start, its.end, static_cast<double>(its.label), static_cast<double>(its.beats),
                                 its.confidence, static_cast<double>(its.quality)});
  return values;
}

}  // namespace

void write_rhythm_state(OutputFolder& folder, const RunResult& result) {
  if (!result.rhythm.findings) return;
  const auto write = [&](const char* name, const auto& values, std::int64_t columns) {
    std::vector<std::int64_t> shape{std::ssize(values) / columns};
    if (columns > 1) shape.push_back(columns);
    write_npy(folder, std::string("report/") + name + ".npy", values, shape);
  };
  write("r_peaks", result.beats.found.r_peaks, 1);
  write("beat_state", beat_state(result), kStateColumns);
  write("rhythm_segments", segments_of(result.rhythm.recognised), kSegmentColumns);
  write("evidence", evidence_of(result), kEvidenceColumns);
}

}  // namespace beatscan
