#include "app/output/text/episode_words.h"

#include <map>

#include "app/common/numbers.h"
#include "stages/classify/advisories.h"
#include "stages/rhythm/episode.h"

namespace beatscan {
namespace {

struct LabelTotal {
  std::int64_t count = 0;
  double seconds = 0;
  double certain = 0;     // seconds times confidence
  std::int64_t poor = 0;  // of those that follow from beats
};

bool is_brief(EpisodeLabel label) { return label == EpisodeLabel::ventricular_couplet || label == EpisodeLabel::pause; }

// Returns whether such an episode is detected in the signal itself, so that poor signal does not make it uncertain.
bool is_of_signal(EpisodeLabel label) {
  return label == EpisodeLabel::ventricular_fibrillation || label == EpisodeLabel::ventricular_flutter ||
         label == EpisodeLabel::noise || label == EpisodeLabel::gap;
}

// Returns the text that follows the number of episodes of a label.
std::string details_of(EpisodeLabel label, const LabelTotal& total) {
  std::string details = is_brief(label) ? "" : duration(total.seconds);
  if (total.poor > 0)
    details +=
        (details.empty() ? "" : ", ") + (total.poor == total.count ? "" : grouped(total.poor) + " ") + "in poor signal";
  if (const double confidence = total.seconds > 0 ? total.certain / total.seconds : 1;
      confidence < advisory_limits::kLowConfidence)
    details += (details.empty() ? "" : ", ") + ("low confidence " + fixed(confidence, 2));
  return details.empty() ? "" : " (" + details + ")";
}

}  // namespace

std::string episode_figures(const RhythmBeats& beats, const RhythmFindings& findings) {
  std::map<EpisodeLabel, LabelTotal> totals;
  for (const Episode& episode : findings.episodes.list) {
    LabelTotal& total = totals[episode.label];
    ++total.count;
    const double seconds = (episode.end - episode.start) / beats.sample_rate_hz;
    total.seconds += seconds;
    total.certain += seconds * episode.confidence;
    total.poor += episode.quality != Quality::good && !is_of_signal(episode.label);
  }
  std::string figures;
  for (const auto& [label, total] : totals) {
    figures += figures.empty() ? "" : ", ";
    figures += std::string(name_of(label)) + " " + grouped(total.count) + details_of(label, total);
  }
  if (figures.empty()) figures = "none";
  if (findings.af.assessed_s == 0) figures += "; atrial fibrillation undetermined";
  return figures;
}

}  // namespace beatscan
