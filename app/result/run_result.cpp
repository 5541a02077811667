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
  return {found.r_peaks,          result.findings->kinds,       found.quality,
          found.broken,           *result.input.sample_rate_hz, result.findings->templates,
          result.findings->paced, result.findings->bent};
}

}  // namespace beatscan
