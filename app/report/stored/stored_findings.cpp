#include "app/report/stored/stored_findings.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/common/small_csv.h"
#include "stages/classify/beat_findings.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLabelLetters = 16;

bool there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// Reads the cells of one line.
struct FindingCells {
  const fs::path& path;
  std::span<const std::string_view> cells;
  std::int64_t line;

  [[noreturn]] void refuse(std::size_t cell, const char* expected) const {
    fail_at_line(path, line, quoted(cells[cell]) + " is " + expected + "; run the analysis again");
  }
  double number(std::size_t cell) const {
    const auto value = parse_double(cells[cell]);
    if (!value) refuse(cell, "not a number");
    return *value;
  }
  double number_or_none(std::size_t cell) const {
    return cells[cell].empty() ? std::numeric_limits<double>::quiet_NaN() : number(cell);
  }
  std::int64_t count(std::size_t cell, std::int64_t most = std::numeric_limits<std::int64_t>::max()) const {
    const auto value = parse_int64(cells[cell]);
    if (!value || *value < 0 || *value > most) refuse(cell, "out of range");
    return *value;
  }
  Chamber chamber(std::size_t cell) const {
    for (const Chamber chamber : {Chamber::none, Chamber::atria, Chamber::ventricles})
      if (cells[cell] == name_of(chamber)) return chamber;
    refuse(cell, "neither atria nor ventricles");
  }
  std::int64_t beat_or_none(std::size_t cell, std::int64_t beats) const {
    return cells[cell].empty() ? -1 : count(cell, beats - 1);
  }
};

}  // namespace

std::vector<StoredTemplate> read_templates(const fs::path& path, std::int64_t beats) {
  constexpr std::string_view columns[] = {"beat_class", "beats", "share", "rate_bpm", "first_s", "last_s"},
                             more[] = {"most_typical_beat", "most_atypical_beat", "spread", "width_ms", "paced"};
  std::vector<StoredTemplate> templates;
  if (!there(path)) return templates;
  for_each_row(
      path, columns,
      [&](auto values, std::int64_t line) {
        const FindingCells cells{path, values, line};
        if (values[0].size() != 1 || kClassLetters.find(values[0][0]) == kClassLetters.npos)
          cells.refuse(0, "not one of N, S, V, F and Q");
        templates.push_back({.beat_class = values[0][0],
                             .beats = cells.count(1),
                             .share = cells.number(2),
                             .rate_bpm = cells.number_or_none(3),
                             .first_s = cells.number(4),
                             .last_s = cells.number(5),
                             .typical = cells.beat_or_none(6, beats),
                             .most_atypical = cells.beat_or_none(7, beats),
                             .spread = cells.number_or_none(8),
                             .width_ms = cells.number_or_none(9),
                             .paced = cells.chamber(10)});
      },
      more);
  return templates;
}

std::optional<std::vector<StoredEpisode>> read_episodes(const fs::path& path, double length_s) {
  constexpr std::string_view columns[] = {"start_s", "end_s", "label"},
                             more[] = {"beats", "rate_bpm", "confidence", "quality"};
  constexpr double kBeyond_s = 1;  // an end may be rounded
  if (!there(path)) return std::nullopt;
  std::vector<StoredEpisode> episodes;
  for_each_row(
      path, columns,
      [&](auto values, std::int64_t line) {
        const FindingCells cells{path, values, line};
        StoredEpisode episode{.from = cells.number(0), .to = cells.number(1), .label = std::string(values[2])};
        if (episode.from < 0 || episode.to < episode.from || episode.to > length_s + kBeyond_s)
          cells.refuse(1, "not within the recording");
        if (values[2].empty() || values[2].size() > kMostLabelLetters) cells.refuse(2, "no label");
        episode.beats = values[3].empty() ? 0 : cells.count(3);
        episode.rate_bpm = cells.number_or_none(4);
        episode.confidence = cells.number_or_none(5);
        episode.quality = std::string(values[6]);
        episodes.push_back(std::move(episode));
      },
      more);
  return episodes;
}

}  // namespace beatscan
