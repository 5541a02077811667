#include "stages/episodes/pauses.h"

namespace beatscan {

std::vector<Episode> pauses(const RhythmBeats& beats, const IntervalFlags& hidden, const SignalEvidence* evidence,
                            const PauseOptions& options) {
  std::vector<Episode> episodes;
  const double pause = options.pause_s * beats.sample_rate_hz, asystole = options.asystole_s * beats.sample_rate_hz;
  for (std::int64_t i = 0; i < std::ssize(hidden); ++i) {
    const double rr = interval_of(beats, i);
    const bool is_told = evidence ? evidence->silent[i] : !beats.broken[i];
    if (hidden[i] || !is_told) continue;
    const int good = (beats.quality[i] == Quality::good) + (beats.quality[i + 1] == Quality::good);
    const auto add = [&](EpisodeLabel label) {
      episodes.push_back({.start = beats.r_peaks[i],
                          .end = beats.r_peaks[i + 1],
                          .label = label,
                          .beats = 2,
                          .confidence = good / 2.0,
                          .quality = worst_quality(beats, i, i + 1)});
    };
    if (rr > pause) add(EpisodeLabel::pause);
    if (rr > asystole) add(EpisodeLabel::asystole);
  }
  return episodes;
}

}  // namespace beatscan
