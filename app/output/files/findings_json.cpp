#include "app/output/files/findings_json.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "app/common/json_text.h"
#include "stages/rhythm/episode.h"
#include "stages/rhythm/intervals.h"

namespace beatscan {
namespace {

std::string key_of(BeatClass beat_class) { return std::string(1, letter_of(beat_class)); }

Json classes_json(const RhythmBeats& beats) {
  Json beat_classes = Json::object();
  for (int k = 0; k < kBeatClassCount; ++k)
    beat_classes[key_of(static_cast<BeatClass>(k))] = std::ranges::count(beats.beat_classes, static_cast<BeatClass>(k));
  return beat_classes;
}

// Counts the episodes of each label that occurs.
Json episode_counts(const RhythmBeats& beats, const Episodes& episodes) {
  Json counts = Json::object();
  for (const Episode& episode : episodes.list) {
    const double seconds = (episode.end - episode.start) / beats.sample_rate_hz;
    Json& of_label = counts[std::string(name_of(episode.label))];
    if (of_label.is_null())
      of_label = {{"count", 0},     {"in_good_signal", 0}, {"beats", 0},
                  {"seconds", 0.0}, {"longest_s", 0.0},    {"first_s", episode.start / beats.sample_rate_hz}};
    of_label["count"] = of_label["count"].get<std::int64_t>() + 1;
    of_label["in_good_signal"] = of_label["in_good_signal"].get<std::int64_t>() + (episode.quality == Quality::good);
    of_label["beats"] = of_label["beats"].get<std::int64_t>() + episode.beats;
    of_label["seconds"] = of_label["seconds"].get<double>() + seconds;
    of_label["longest_s"] = std::max(of_label["longest_s"].get<double>(), seconds);
  }
  return counts;
}

std::optional<double> longest_pause_s(const RhythmBeats& beats, const Episodes& episodes) {
  std::optional<double> longest;
  for (const Episode& episode : episodes.list)
    if (episode.label == EpisodeLabel::pause)
      longest = std::max(longest.value_or(0), (episode.end - episode.start) / beats.sample_rate_hz);
  return longest;
}

// Returns the longest known interval.
std::optional<double> longest_rr_s(const RhythmBeats& beats, const Episodes& episodes) {
  std::optional<double> longest;
  for (std::int64_t i = 0; i < std::ssize(episodes.linked); ++i)
    if (!beats.broken[i] && !episodes.hidden[i])
      longest = std::max(longest.value_or(0), interval_of(beats, i) / beats.sample_rate_hz);
  return longest;
}

Json burden_json(const AfBurden& af) {
  return {{"seconds", af.assessed_s > 0 ? Json(af.afib_s) : Json(nullptr)},
          {"assessed_s", af.assessed_s},
          {"share", af.assessed_s > 0 ? Json(af.afib_s / af.assessed_s) : Json(nullptr)}};
}

Json hrv_json(const Hrv& hrv) {
  const bool has_ratio = hrv.hf_ms2 && *hrv.hf_ms2 > 0;
  return {{"intervals", hrv.intervals},
          {"used_share", hrv.used_share},
          {"nn_s", hrv.nn_s},
          {"mean_nn_ms", or_null(hrv.mean_nn_ms)},
          {"sdnn_ms", or_null(hrv.sdnn_ms)},
          {"rmssd_ms", or_null(hrv.rmssd_ms)},
          {"pnn50_percent", or_null(hrv.pnn50_percent)},
          {"lf_ms2", or_null(hrv.lf_ms2)},
          {"hf_ms2", or_null(hrv.hf_ms2)},
          {"lf_hf", has_ratio ? Json(*hrv.lf_ms2 / *hrv.hf_ms2) : Json(nullptr)},
          {"windows", hrv.windows}};
}

}  // namespace

Json findings_json(const RhythmBeats& beats, const RhythmFindings& findings) {
  return {{"kinds", classes_json(beats)},
          {"episodes", episode_counts(beats, findings.episodes)},
          {"af", burden_json(findings.af)},
          {"longest_pause_s", or_null(longest_pause_s(beats, findings.episodes))},
          {"longest_rr_s", or_null(longest_rr_s(beats, findings.episodes))},
          {"hrv", hrv_json(findings.hrv)}};
}

Json hours_json(const RhythmFindings& findings) {
  Json hours = Json::array();
  for (const HourFacts& hour : findings.hours) {
    Json beat_classes = Json::object();
    for (int k = 0; k < kBeatClassCount; ++k) beat_classes[key_of(static_cast<BeatClass>(k))] = hour.beat_classes[k];
    hours.push_back({{"from_s", hour.from_s},
                     {"beats", hour.beats},
                     {"rate_bpm", or_null(hour.rate_bpm)},
                     {"kinds", beat_classes},
                     {"afib_s", hour.afib_s},
                     {"assessed_s", hour.assessed_s}});
  }
  return hours;
}

}  // namespace beatscan
