#include "app/output/shown_beats.h"

#include <algorithm>
#include <array>
#include <functional>

#include "app/output/result_facts.h"
#include "app/output/run_result.h"

namespace beatscan {
namespace {

// Returns the rows with the highest scores, descending; of equal ones the earlier first.
std::vector<std::int64_t> highest(const std::vector<float>& scores, std::vector<std::int64_t> rows, std::int64_t most) {
  const auto end = rows.begin() + std::min(most, std::ssize(rows));
  std::partial_sort(rows.begin(), end, rows.end(), [&](std::int64_t a, std::int64_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  rows.erase(end, rows.end());
  return rows;
}

}  // namespace

std::vector<std::int64_t> shown_rows(const RunResult& result) {
  const auto& scores = result.scored.scores;
  std::vector<std::int64_t> good, poor;
  for (std::int64_t row = 0; row < std::ssize(scores.score); ++row) {
    const bool in_good = !result.scored.ranking || result.beats.found.quality[result.beats.kept[row]] == Quality::good;
    (in_good ? good : poor).push_back(row);
  }
  if (!good.empty()) std::erase_if(poor, [&](std::int64_t row) { return !scores.anomalous[row]; });
  const std::int64_t places = std::max(kReportBeats - std::ssize(good), kReportPoorBeats);
  const auto uncertain = highest(scores.score, std::move(poor), places);
  auto rows = highest(scores.score, std::move(good), kReportBeats - std::ssize(uncertain));
  rows.insert(rows.end(), uncertain.begin(), uncertain.end());
  return rows;
}

namespace {

// Appends a point in some of the longest episodes of each label except noise and gaps.
void add_episode_places(const RunResult& result, std::vector<std::int64_t>& places) {
  constexpr std::size_t kOfLabel = 4;
  constexpr double kInto_s = 4;  // distance of the point from the start of a long episode
  std::array<std::vector<Episode>, static_cast<std::size_t>(EpisodeLabel::noise)> by_label;
  for (const Episode& episode : result.rhythm->episodes.list)
    if (episode.label < EpisodeLabel::noise) by_label[static_cast<std::size_t>(episode.label)].push_back(episode);
  for (auto& episodes : by_label) {
    std::ranges::stable_sort(episodes, std::greater<>(), [](const Episode& e) { return e.end - e.start; });
    episodes.resize(std::min(episodes.size(), kOfLabel));
    for (const Episode& episode : episodes)
      places.push_back(nearest_sample(
          std::min((episode.start + episode.end) / 2, episode.start + kInto_s * *result.input.sample_rate_hz)));
  }
}

// Appends the first non-conducted P wave, and the beginning of the minute with the longest QTc.
void add_wave_places(const RunResult& result, std::vector<std::int64_t>& places) {
  if (result.waves && !result.waves->non_conducted.empty())
    places.push_back(nearest_sample(result.waves->non_conducted.front().onset));
  if (result.wave_summary && result.wave_summary->longest_qtc)
    places.push_back(
        nearest_sample((result.wave_summary->longest_qtc->begin_s + kStrip_s / 2) * *result.input.sample_rate_hz));
}

}  // namespace

std::vector<std::int64_t> finding_places(const RunResult& result, const ReportData& report) {
  const auto& r_peaks = result.beats.found.r_peaks;
  std::vector<std::int64_t> places;
  if (const auto pause = longest_interval(result))
    places.push_back(nearest_sample((r_peaks[*pause] + r_peaks[*pause + 1]) / 2));
  add_wave_places(result, places);
  if (result.rhythm && result.input.sample_rate_hz) add_episode_places(result, places);
  for (const auto* beats : {&report.templates.typical, &report.templates.most_atypical})
    for (const std::int64_t beat : *beats) places.push_back(nearest_sample(r_peaks[beat]));
  places.resize(std::min(places.size(), kReportPlaces));
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::erase_if(places, [&](std::int64_t place) { return place < 0 || place >= result.input.samples; });
  return places;
}

}  // namespace beatscan
