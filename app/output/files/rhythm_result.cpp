#include "app/output/files/rhythm_result.h"

#include "app/common/build_info.h"
#include "app/common/numbers.h"
#include "app/config/config.h"
#include "app/output/files/annotation_file.h"
#include "app/output/files/episodes_csv.h"
#include "app/output/files/findings_json.h"
#include "app/output/output_folder.h"
#include "app/output/text/advisories.h"
#include "app/output/text/episode_words.h"
#include "stages/common/one_line.h"

namespace beatscan {
namespace {

double duration_s(const RhythmResult& result) {
  return static_cast<double>(result.length) / result.beats.sample_rate_hz;
}

Json rhythm_summary(const RhythmResult& result) {
  return {{"schema_version", 1},
          {"kind", "rhythm"},
          {"input",
           {{"path", result.path.string()},
            {"bytes", result.bytes},
            {"sha256", result.sha256},
            {"samples", result.length},
            {"duration_s", duration_s(result)}}},
          {"sample_rate", {{"hz", result.beats.sample_rate_hz}}},
          {"beats", {{"found", result.samples.size()}}},
          {"rhythm", {{"model_sha256", result.model_sha256}}},
          {"findings", findings_json(result.beats, result.findings)},
          {"hours", hours_json(result.findings)},
          {"advisories", advisories_json(advisories_of(result), {})},
          {"versions", {{"beatscan", BEATSCAN_VERSION}, {"compiler", BEATSCAN_COMPILER}}},
          {"run", {{"command", result.command}}}};
}

}  // namespace

std::vector<Advisory> advisories_of(const RhythmResult& result) {
  return advisories_of_list(result.warnings, result.samples, result.beats.sample_rate_hz);
}

void write_result(OutputFolder& folder, const RhythmResult& result, const Config& config) {
  std::vector<BeatMark> marks;
  for (std::size_t i = 0; i < result.samples.size(); ++i) marks.push_back({result.samples[i], result.symbols[i], ""});
  folder.write("episodes.csv", episodes_csv(result.beats, result.findings.episodes));
  folder.write("summary.json", text_of(rhythm_summary(result)) + "\n");
  folder.write("config.json", text_of(to_json(config)) + "\n");
  folder.write(result.path.stem().string() + ".vae",
               annotation_file(marks, result.findings.episodes.list, result.beats.sample_rate_hz));
}

std::string summary_text(const RhythmResult& result, const std::filesystem::path& folder) {
  std::string text = in_one_line(result.path.string()) + ": " + grouped(std::ssize(result.samples), "beat") + "\n";
  text += "duration   " + duration(duration_s(result)) + " at " + significant(result.beats.sample_rate_hz, 6) + " Hz\n";
  text += "episodes   " + episode_figures(result.beats, result.findings) + "\n";
  text += "results    " + in_one_line(folder.string()) + "\n";
  return text;
}

}  // namespace beatscan
