#include "app/result/run_result.h"

namespace beatscan {

RhythmBeats rhythm_beats(const RunResult& result) {
  const BeatList& found = result.beats.found;
  const Findings& findings = *result.findings;
  return {.r_peaks = found.r_peaks,
          .kinds = findings.kinds,
          .quality = found.quality,
          .broken = found.broken,
          .sample_rate_hz = *result.input.sample_rate_hz,
          .templates = findings.templates,
          .paced = findings.paced,
          .bent = findings.bent};
}

}  // namespace beatscan
