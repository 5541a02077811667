#include "stages/rhythm/pauses.h"

#include <algorithm>

#include "kernels/detect/judge_beats.h"
#include "stages/rhythm/episode_options.h"
#include "stages/rhythm/intervals.h"

namespace beatscan {
namespace {

Episode episode_of(const RhythmBeats& beats, EpisodeLabel label, double start, double end, std::int64_t first,
                   std::int64_t last, float certain) {
  const auto good = std::count(beats.quality.begin() + first, beats.quality.begin() + last + 1, Quality::good);
  const Quality worst = worst_quality(beats, first, last),
                least = certain < kCertainPause ? Quality::noisy : Quality::good;
  return {.start = start,
          .end = end,
          .label = label,
          .beats = last - first + 1,
          .confidence = static_cast<double>(good) / 2 * static_cast<double>(certain),
          .quality = std::ranges::max(worst, least, {}, poorness)};
}

}  // namespace

std::vector<Episode> pauses(const RhythmBeats& beats, const IntervalFlags& hidden, const SignalEvidence* evidence,
                            const PauseOptions& options, double samples) {
  std::vector<Episode> episodes;
  const double pause = options.pause_s * beats.sample_rate_hz, asystole = options.asystole_s * beats.sample_rate_hz;
  const std::int64_t last = std::ssize(beats.r_peaks) - 1;
  if (evidence && last >= 0 && evidence->certain_start > 0 && beats.r_peaks[0] > asystole)
    episodes.push_back(episode_of(beats, EpisodeLabel::asystole, 0, beats.r_peaks[0], 0, 0, evidence->certain_start));
  for (std::int64_t i = 0; i < std::ssize(hidden); ++i) {
    const double rr = interval_of(beats, i);
    const bool is_reported = evidence ? evidence->silent[i] : !beats.broken[i];
    if (hidden[i] || !is_reported) continue;
    const auto add = [&](EpisodeLabel label) {
      episodes.push_back(episode_of(beats, label, beats.r_peaks[i], beats.r_peaks[i + 1], i, i + 1,
                                    evidence ? evidence->certainty_of(i) : 1));
    };
    if (rr > pause) add(EpisodeLabel::pause);
    if (rr > asystole) add(EpisodeLabel::asystole);
  }
  if (evidence && last >= 0 && evidence->certain_end > 0 && samples - beats.r_peaks[last] > asystole)
    episodes.push_back(
        episode_of(beats, EpisodeLabel::asystole, beats.r_peaks[last], samples, last, last, evidence->certain_end));
  return episodes;
}

}  // namespace beatscan
