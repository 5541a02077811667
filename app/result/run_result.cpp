#include "app/result/run_result.h"

#include "stages/input/input.h"

namespace beatscan {

std::string record_name(const std::filesystem::path& input) {
  if (input == "-") return "stdin";
  if (const auto header = wfdb_header_of(input)) return header->stem().string();
  return without_packing(input).stem().string();
}

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
