#include "app/cli/rhythm_warnings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/evaluation/truth.h"
#include "app/result/files/rhythm_result.h"
#include "app/result/result_facts.h"
#include "app/result/run_result.h"
#include "app/result/words/fibrillation_warnings.h"
#include "app/result/words/pause_warnings.h"
#include "app/result/words/rate_warnings.h"
#include "app/result/words/summary_text.h"
#include "app/text/numbers.h"
#include "stages/common/counted.h"
#include "stages/common/number_text.h"
#include "stages/episodes/episode.h"

namespace beatscan {
namespace {

// Returns the beats as a result of `run` has them, without a signal.
RunResult as_run_result(const RhythmResult& result) {
  const RhythmBeats& beats = result.beats;
  RunResult run;
  run.input.sample_rate_hz = beats.sample_rate_hz;
  run.input.samples = result.length;
  run.beats.found.r_peaks.assign(beats.r_peaks.begin(), beats.r_peaks.end());
  run.beats.found.quality.assign(beats.quality.begin(), beats.quality.end());
  run.beats.found.broken.assign(beats.broken.begin(), beats.broken.end());
  run.findings.emplace().kinds.assign(beats.kinds.begin(), beats.kinds.end());
  run.rhythm = result.findings;
  // An expert has marked fibrillation, so that it is not doubted.
  std::erase_if(run.rhythm->episodes.list, [](const Episode& its) {
    return its.label == EpisodeLabel::ventricular_fibrillation || its.label == EpisodeLabel::ventricular_flutter;
  });
  return run;
}

}  // namespace

std::vector<std::string> warnings_about(const ListedBeats& listed, double rate_hz) {
  constexpr double kTwice_s = 0.1;     // no heart beats again so soon
  constexpr double kOtherRate = 0.01;  // times are rounded, so a rate that they tell is off by less
  const std::string beats = counted(std::ssize(listed.beats), "beat");
  std::vector<std::string> warnings;
  if (listed.rate_hz && std::abs(rate_hz / *listed.rate_hz - 1) > kOtherRate)
    warnings.push_back("its samples and times together say " + number_text(*listed.rate_hz, 4) + " Hz, and " +
                       number_text(rate_hz, 7) + " Hz is used, as asked for: all rates and times depend on it");
  if (listed.without_symbol > 0)
    warnings.push_back(
        std::to_string(listed.without_symbol) + " of " + beats + by_count(listed.without_symbol, " has", " have") +
        " no symbol: they are taken for normal, so V and S among them may look like atrial fibrillation");
  if (listed.out_of_order > 0)
    warnings.push_back(
        std::to_string(listed.out_of_order) + " of " + beats +
        by_count(listed.out_of_order, " stands after a beat that comes", " stand after beats that come") +
        " later: they are sorted, and if these are two recordings in one list, their rhythms are mixed");
  std::int64_t same = 0, near = 0;
  for (std::size_t i = 1; i < listed.beats.size(); ++i) {
    const auto samples = listed.beats[i].sample - listed.beats[i - 1].sample;
    same += samples == 0;
    near += samples != 0 && static_cast<double>(samples) / rate_hz < kTwice_s;
  }
  if (same > 0)
    warnings.push_back(std::to_string(same) + " of " + beats + by_count(same, " lies", " lie") +
                       " at the sample of the beat before: they may be listed twice, and count twice");
  if (near > 0)
    warnings.push_back(std::to_string(near) + " of " + beats + by_count(near, " comes", " come") +
                       " less than 0.1 s after the beat before: they may be listed twice, or --rate may be wrong");
  return warnings;
}

std::vector<std::string> rhythm_warnings(const RhythmResult& result) {
  const RunResult run = as_run_result(result);
  if (const auto rate = median_heart_rate(run); rate && (*rate < kSlowestHeart_bpm || *rate > kFastestHeart_bpm))
    return {"the median heart rate is " + fixed(*rate, 0) + " a minute: --rate may be wrong"};
  std::vector<std::string> warnings = rate_warnings(run);
  for (auto& warning : fibrillation_warnings(run)) warnings.push_back(std::move(warning));
  std::string asystole = asystole_words(
      run, [](const Episode&) { return true; },
      "a list that lacks some beats, and a sample that is wrong, look the same");
  if (!asystole.empty()) warnings.push_back(std::move(asystole));
  return warnings;
}

}  // namespace beatscan
