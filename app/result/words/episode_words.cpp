#include "app/result/words/episode_words.h"

#include <map>

#include "app/text/numbers.h"

namespace beatscan {
namespace {

struct LabelTotal {
  std::int64_t count = 0;
  double seconds = 0;
};

bool is_brief(EpisodeLabel label) { return label == EpisodeLabel::ventricular_couplet || label == EpisodeLabel::pause; }

}  // namespace

std::string episode_figures(const RhythmBeats& beats, const RhythmFindings& findings) {
  std::map<EpisodeLabel, LabelTotal> totals;
  for (const Episode& episode : findings.episodes.list) {
    LabelTotal& total = totals[episode.label];
    ++total.count;
    total.seconds += (episode.end - episode.start) / beats.sample_rate_hz;
  }
  std::string figures;
  for (const auto& [label, total] : totals) {
    figures += figures.empty() ? "" : ", ";
    figures += std::string(name_of(label)) + " " + grouped(total.count);
    if (!is_brief(label)) figures += " (" + duration(total.seconds) + ")";
  }
  if (figures.empty()) figures = "none";
  if (findings.af.told_s == 0) figures += "; too few intervals to tell atrial fibrillation";
  return figures;
}

}  // namespace beatscan
