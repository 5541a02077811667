#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "app/batch/plan.h"
#include "app/cli/commands.h"
#include "app/common/log.h"
#include "app/common/sha256.h"
#include "app/common/whole_file.h"
#include "app/evaluation/annotations.h"
#include "app/evaluation/marked_fibrillation.h"
#include "app/evaluation/truth.h"
#include "app/output/advisories.h"
#include "app/output/output_folder.h"
#include "app/output/outputs.h"
#include "app/output/summary_text.h"
#include "app/pipeline/models.h"
#include "app/pipeline/run_options.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/error.h"
#include "stages/classify/accepted_intervals.h"
#include "stages/classify/beat_table.h"
#include "stages/common/counted.h"
#include "stages/common/number_text.h"
#include "stages/rhythm/rhythm_findings.h"
#include "stages/rhythm/rhythms.h"

namespace beatscan {

namespace {

// Returns the problems of a list: a beat that is listed twice counts twice, and a wrong rate changes every result.
std::vector<std::string> warnings_about(const ListedBeats& listed, double rate_hz) {
  constexpr double kTwice_s = 0.1;     // shorter than any physiological RR interval
  constexpr double kOtherRate = 0.01;  // times are rounded; the rate derived from them is off by less
  const std::string beats = counted(std::ssize(listed.beats), "beat");
  std::vector<std::string> warnings;
  if (listed.rate_hz && std::abs(rate_hz / *listed.rate_hz - 1) > kOtherRate)
    warnings.push_back("samples and times give " + number_text(*listed.rate_hz, 4) + " Hz, but " +
                       number_text(rate_hz, 7) + " Hz is used, as asked for: all rates and times depend on it");
  if (listed.without_symbol > 0)
    warnings.push_back(std::to_string(listed.without_symbol) + " of " + beats +
                       by_count(listed.without_symbol, " has", " have") +
                       " no symbol and count as normal: V and S among them may look like atrial fibrillation");
  if (listed.out_of_order > 0)
    warnings.push_back(std::to_string(listed.out_of_order) + " of " + beats +
                       by_count(listed.out_of_order, " follows a beat that comes", " follow beats that come") +
                       " later: they are sorted, and if these are two recordings in one list, their rhythms are mixed");
  std::int64_t same = 0, near = 0;
  for (std::size_t i = 1; i < listed.beats.size(); ++i) {
    const auto samples = listed.beats[i].sample - listed.beats[i - 1].sample;
    same += samples == 0;
    near += samples != 0 && static_cast<double>(samples) / rate_hz < kTwice_s;
  }
  if (same > 0)
    warnings.push_back(std::to_string(same) + " of " + beats + by_count(same, " lies", " lie") +
                       " at the sample of the previous beat: they may be listed twice, and count twice");
  if (near > 0)
    warnings.push_back(std::to_string(near) + " of " + beats + by_count(near, " comes", " come") +
                       " less than 0.1 s after the beat before: they may be listed twice, or --rate may be wrong");
  return warnings;
}

constexpr double kLongest_s = 10 * 366.0 * 86400;

// Beats in the form that the rhythm rules use.
struct OwnBeats {
  std::vector<double> r_peaks;
  std::vector<BeatClass> beat_classes;
  std::vector<Quality> quality;
  std::vector<std::uint8_t> broken;
};

OwnBeats own_beats(const std::vector<ReferenceBeat>& beats) {
  OwnBeats own;
  for (const ReferenceBeat& beat : beats) {
    own.r_peaks.push_back(static_cast<double>(beat.sample));
    own.beat_classes.push_back(*class_of(beat.symbol));
  }
  own.quality.assign(beats.size(), Quality::good);
  own.broken.assign(beats.size() - 1, 0);
  return own;
}

double rate_of(const Config& config, const std::filesystem::path& path) {
  if (config.ingest.sample_rate_hz) return *config.ingest.sample_rate_hz;
  if (!is_csv(path))
    if (const auto clock = clock_of_annotations(path)) return *clock;
  throw Error(ErrorKind::usage, path.string() + ": no sampling rate; give it with --rate HZ");
}

void check_beats(const std::vector<ReferenceBeat>& beats, double rate_hz, const std::filesystem::path& path) {
  if (beats.empty())
    fail(ErrorKind::unanalysable, path.string(),
         "has no beats; give a file with a line or an annotation for each beat");
  if (static_cast<double>(beats.back().sample) > kLongest_s * rate_hz)
    fail(ErrorKind::input, path.string(),
         "a beat at sample " + std::to_string(beats.back().sample) +
             " lies more than ten years after the start; check the samples and --rate");
}

}  // namespace

int rhythm_command(const CommonOptions& common, const std::filesystem::path& path, const std::filesystem::path& out,
                   Log& log) {
  const Config config = resolve_config(common);
  const double rate_hz = rate_of(config, path);
  check_episodes(config.episodes);
  check_output_folder(out, common.force);
  check_outside(path, out);
  const ListedBeats listed = read_beats(path, {rate_hz});
  check_beats(listed.beats, rate_hz, path);
  const std::string contents = read_whole_file(path);
  const OwnBeats own = own_beats(listed.beats);
  RhythmResult result{.path = path,
                      .bytes = std::ssize(contents),
                      .sha256 = sha256_of(contents),
                      .beats = {own.r_peaks, own.beat_classes, own.quality, own.broken, rate_hz},
                      .warnings = warnings_about(listed, rate_hz),
                      .command = common.command};
  for (const ReferenceBeat& beat : listed.beats) {
    result.samples.push_back(beat.sample);
    result.symbols.push_back(letter_of(*class_of(beat.symbol)));
  }
  const auto marked = marked_fibrillation(path, own.r_peaks, rate_hz, config.episodes.pauses.asystole_s);
  result.warnings.insert(result.warnings.end(), marked.warnings.begin(), marked.warnings.end());
  result.length = std::max(result.samples.back() + 1, static_cast<std::int64_t>(std::ceil(marked.end)));
  Cpu cpu;
  const auto model = rhythm_model(config.rhythm_model.model);
  const auto rhythms =
      recognised_rhythms(cpu, interval_table(cpu, known_rr_s(own.r_peaks, own.broken, rate_hz)), {}, own.r_peaks,
                         rate_hz, static_cast<double>(result.length) / rate_hz, model, config.rhythm_model.source);
  result.model_sha256 = model.sha256;
  result.findings = rhythm_findings(cpu, result.beats, &marked.evidence, rhythms, static_cast<double>(result.length),
                                    config.episodes);
  OutputFolder folder(out, common.force);
  write_result(folder, result, config);
  folder.commit();
  log_advisories(log, path.string(), advisories_of(result), {});
  std::fputs(summary_text(result, out).c_str(), stdout);
  return 0;
}

}  // namespace beatscan
