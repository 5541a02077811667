// tests/stages/rhythm/listed_beats.h — beats made by hand, for tests of rhythms.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "stages/rhythm/episode.h"
#include "stages/rhythm/intervals.h"
#include "stages/rhythm/rhythms.h"

namespace beatscan {

// Beats at 100 Hz. The first is at 0.
struct ListedForTest {
  std::vector<double> r_peaks;
  std::vector<BeatClass> beat_classes;
  std::vector<Quality> quality;
  std::vector<std::uint8_t> broken;
  double sample_rate_hz = 100;

  RhythmBeats view() const {
    return {.r_peaks = r_peaks,
            .beat_classes = beat_classes,
            .quality = quality,
            .broken = broken,
            .sample_rate_hz = sample_rate_hz};
  }
  double samples() const { return r_peaks.empty() ? 0 : r_peaks.back() + 1; }

  // Adds a beat this many seconds after the last one.
  void add(char beat_class, double rr_s) {
    if (!r_peaks.empty()) broken.push_back(0);
    r_peaks.push_back(r_peaks.empty() ? 0 : r_peaks.back() + rr_s * sample_rate_hz);
    beat_classes.push_back(static_cast<BeatClass>(kClassLetters.find(beat_class)));
    quality.push_back(Quality::good);
  }
  // Adds a beat for each letter.
  void add(std::string_view letters, double rr_s) {
    for (const char beat_class : letters) add(beat_class, rr_s);
  }
};

inline ListedForTest beats_of(std::string_view letters, double rr_s) {
  ListedForTest beats;
  beats.add(letters, rr_s);
  return beats;
}

// Adds N whose intervals have no pattern, between 0.4 and 1.1 s.
inline void add_irregular(ListedForTest& beats, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < count; ++i) beats.add('N', 0.4 + 0.7 * static_cast<double>(random() % 10007) / 10007);
}

// Adds N at 75 a minute whose intervals go up and down by 2 % as with breathing.
inline void add_regular(ListedForTest& beats, int count) {
  for (int i = 0; i < count; ++i) beats.add('N', 0.8 + 0.016 * std::sin(i));
}

// Returns sinus rhythm from 0 to `end_s`, but for another rhythm between two times.
inline Rhythms rhythms_of(const std::string& state, double from_s, double to_s, double end_s) {
  return {{"NSR", state}, {0, 1}, {{0, from_s, 0, 0.9}, {from_s, to_s, 1, 0.8}, {to_s, end_s, 0, 0.9}}};
}

// Returns the episodes as text, such as "V2 3-4" with the numbers of the first and the last beat.
inline std::string labelled(const std::vector<Episode>& episodes, const ListedForTest& beats) {
  std::string text;
  const auto number = [&](double sample) {
    for (std::size_t i = 0; i < beats.r_peaks.size(); ++i)
      if (beats.r_peaks[i] == sample) return std::to_string(i);
    return std::string("?");
  };
  for (const Episode& episode : episodes)
    text += (text.empty() ? "" : ", ") + std::string(name_of(episode.label)) + " " + number(episode.start) + "-" +
            number(episode.end);
  return text;
}

inline IntervalFlags all_linked(const ListedForTest& beats) {
  return linked_intervals(beats.view(), IntervalFlags(beats.broken.size()), {});
}

}  // namespace beatscan
