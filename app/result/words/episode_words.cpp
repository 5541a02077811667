#include "app/result/words/episode_words.h"

#include <map>

#include "app/text/numbers.h"
#include "stages/episodes/episode.h"
#include "stages/episodes/rhythm_results.h"

namespace beatscan {
namespace {

struct LabelTotal {
  std::int64_t count = 0;
  double seconds = 0;
  std::int64_t poor = 0;  // of those that rules tell from beats
};

bool is_brief(EpisodeLabel label) { return label == EpisodeLabel::ventricular_couplet || label == EpisodeLabel::pause; }

// Says whether the signal alone tells such an episode. Poor signal is no doubt of it.
bool is_of_signal(EpisodeLabel label) {
  return label == EpisodeLabel::ventricular_fibrillation || label == EpisodeLabel::ventricular_flutter ||
         label == EpisodeLabel::noise || label == EpisodeLabel::gap;
}

// Returns what follows the number of episodes of a label.
std::string details_of(EpisodeLabel label, const LabelTotal& total) {
  std::string details = is_brief(label) ? "" : duration(total.seconds);
  if (total.poor > 0)
    details +=
        (details.empty() ? "" : ", ") + (total.poor == total.count ? "" : grouped(total.poor) + " ") + "in poor signal";
  return details.empty() ? "" : " (" + details + ")";
}

}  // namespace

std::string episode_figures(const RhythmBeats& beats, const RhythmFindings& findings) {
  std::map<EpisodeLabel, LabelTotal> totals;
  for (const Episode& episode : findings.episodes.list) {
    LabelTotal& total = totals[episode.label];
    ++total.count;
    total.seconds += (episode.end - episode.start) / beats.sample_rate_hz;
    total.poor += episode.quality != Quality::good && !is_of_signal(episode.label);
  }
  std::string figures;
  for (const auto& [label, total] : totals) {
    figures += figures.empty() ? "" : ", ";
    figures += std::string(name_of(label)) + " " + grouped(total.count) + details_of(label, total);
  }
  if (figures.empty()) figures = "none";
  if (findings.af.told_s == 0) figures += "; too few intervals for atrial fibrillation";
  return figures;
}

}  // namespace beatscan
