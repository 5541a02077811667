#include "stages/rhythm/beats_without_waves.h"

#include <algorithm>

namespace beatscan {
namespace {

bool hides_waves(const Episode& episode) {
  return episode.label == EpisodeLabel::ventricular_fibrillation || episode.label == EpisodeLabel::ventricular_flutter;
}

}  // namespace

std::vector<std::uint8_t> beats_without_waves(const RhythmBeats& beats, std::span<const Episode> episodes) {
  std::vector<std::uint8_t> without;
  without.reserve(beats.r_peaks.size());
  for (const Quality quality : beats.quality) without.push_back(quality != Quality::good);
  for (const Episode& episode : episodes) {
    if (!hides_waves(episode)) continue;
    const auto first = std::ranges::lower_bound(beats.r_peaks, episode.start);
    const auto last = std::upper_bound(first, beats.r_peaks.end(), episode.end);
    std::fill(without.begin() + (first - beats.r_peaks.begin()), without.begin() + (last - beats.r_peaks.begin()), 1);
  }
  return without;
}

void remove_non_conducted_in_fibrillation(std::span<const Episode> episodes, BeatWaves& waves) {
  for (const Episode& episode : episodes)
    if (episode.label == EpisodeLabel::atrial_fibrillation)
      std::erase_if(waves.non_conducted,
                    [&](const NonConductedP& wave) { return episode.start <= wave.onset && wave.onset < episode.end; });
}

}  // namespace beatscan
