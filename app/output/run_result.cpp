#include "app/output/run_result.h"

#include "stages/io/input.h"
#include "stages/io/recording/input_file.h"

namespace beatscan {

std::string record_name(const std::filesystem::path& input) {
  if (input == "-") return "stdin";
  if (const auto header = wfdb_header_of(input)) return header->stem().string();
  return without_packing(input).stem().string();
}

RhythmBeats rhythm_beats(const BeatList& found, const Findings& findings, double sample_rate_hz) {
  return {.r_peaks = found.r_peaks,
          .beat_classes = findings.beat_classes,
          .quality = found.quality,
          .broken = found.broken,
          .sample_rate_hz = sample_rate_hz,
          .paced = findings.paced,
          .posteriors = findings.posteriors};
}

RhythmBeats rhythm_beats(const RunResult& result) {
  return rhythm_beats(result.beats.found, *result.classes.findings, *result.input.sample_rate_hz);
}

WaveSummary summary_of_waves(const BeatWaves& waves, const BeatList& found, const Findings& findings,
                             double sample_rate_hz, std::int64_t samples) {
  std::vector<std::uint8_t> normal;
  for (std::size_t i = 0; i < found.r_peaks.size(); ++i)
    normal.push_back(found.quality[i] == Quality::good && found.outcomes[i] == Outcome::kept &&
                     findings.beat_classes[i] == BeatClass::normal);
  return summary_of(waves, found.r_peaks, normal, sample_rate_hz, samples);
}

}  // namespace beatscan
