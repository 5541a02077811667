#include "app/report/sections/episodes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "app/report/drawing/chart.h"
#include "app/report/drawing/html.h"
#include "app/report/sections/findings_html.h"
#include "app/report/sections/page.h"
#include "app/report/words/episode_labels.h"
#include "app/report/words/findings_words.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

constexpr double kRowPixels = 30;

// Returns the groups that have episodes, in the order of the timeline.
std::vector<EpisodeGroup> groups_in(const std::vector<StoredEpisode>& episodes) {
  std::vector<EpisodeGroup> rows;
  for (const auto& group : episode_groups())
    if (std::ranges::any_of(episodes, [&](const auto& episode) { return group_of(episode.label) == group.group; }))
      rows.push_back(group);
  return rows;
}

std::string times_of(const StoredEpisode& episode) {
  return clock_time(episode.from, 1) + " – " + clock_time(episode.to, 1);
}

// Returns those with the lowest keys, in order of time. The first key counts most.
template <class Key>
std::vector<StoredEpisode> foremost(std::vector<StoredEpisode> episodes, std::size_t most, Key&& key) {
  if (episodes.size() > most) {
    std::ranges::stable_sort(episodes, std::less<>(), key);
    episodes.resize(most);
  }
  std::ranges::stable_sort(episodes, {}, &StoredEpisode::from);
  return episodes;
}

// Returns the longest episodes of each label, and tells what was left out.
std::vector<StoredEpisode> listed_episodes(const std::vector<StoredEpisode>& all, std::string& left_out) {
  std::map<std::size_t, std::vector<StoredEpisode>> by_label;
  std::vector<StoredEpisode> listed;
  for (const auto& episode : all) by_label[seriousness_of(episode.label)].push_back(episode);
  for (const auto& [place, episodes] : by_label) {
    const auto some = foremost(episodes, kListedOfLabel, [](const auto& e) { return e.from - e.to; });
    listed.insert(listed.end(), some.begin(), some.end());
    if (some.size() < episodes.size())
      left_out += " Of " + grouped(std::ssize(episodes)) + " with the label " + escaped(episodes[0].label) +
                  " the table has the " + std::to_string(some.size()) + " longest.";
  }
  std::ranges::stable_sort(listed, {}, &StoredEpisode::from);
  return listed;
}

std::string label_chip(const std::string& label) {
  return "<span class=\"label " + std::string(group_of(label)) + "\">" + escaped(label) + "</span>";
}

std::vector<std::string> cells_of(const StoredResult& result, const StoredEpisode& episode) {
  const Finding place{label_words(episode.label), episode.from, episode.to};
  const auto number = [](double value, int decimals) { return std::isfinite(value) ? fixed(value, decimals) : "–"; };
  std::vector<std::string> cells{label_chip(episode.label) + " " + finding_link(place, episode.label),
                                 clock_time(episode.from, 1)};
  if (result.start) cells.push_back(result.day_time(episode.from));
  cells.insert(cells.end(), {duration(std::round(10 * (episode.to - episode.from)) / 10), grouped(episode.beats),
                             number(episode.rate_bpm, 0), number(episode.confidence, 2), escaped(episode.quality)});
  return cells;
}

// Returns a button for each label, which shows its rows alone.
std::string label_filter(const std::vector<StoredEpisode>& all) {
  std::map<std::size_t, std::pair<std::string, std::int64_t>> counts;
  for (const auto& episode : all) {
    auto& [label, count] = counts[seriousness_of(episode.label)];
    label = episode.label;
    ++count;
  }
  if (counts.size() < 2) return "";
  std::string html =
      "<p class=\"filter live\" role=\"group\" aria-label=\"Episodes to list\"><button type=\"button\" "
      "data-filter=\"\" aria-pressed=\"true\">all " +
      grouped(std::ssize(all)) + "</button>";
  for (const auto& [place, entry] : counts)
    html += " <button type=\"button\" data-filter=\"" + escaped(entry.first) + "\" aria-pressed=\"false\">" +
            escaped(entry.first) + " " + grouped(entry.second) + "</button>";
  return html + "</p>";
}

Columns columns_of(const std::vector<StoredEpisode>& episodes) {
  Json from = Json::array(), to = from, label = from, beats = from, rate = from, confidence = from, quality = from;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  for (const auto& episode : episodes) {
    from.push_back(episode.from), to.push_back(episode.to), label.push_back(episode.label);
    beats.push_back(episode.beats), rate.push_back(number(episode.rate_bpm));
    confidence.push_back(number(episode.confidence)), quality.push_back(episode.quality);
  }
  return {{"start_s", from},          {"end_s", to},       {"label", label}, {"beats", beats}, {"rate_bpm", rate},
          {"confidence", confidence}, {"quality", quality}};
}

}  // namespace

std::vector<StoredEpisode> drawn_episodes(const std::vector<StoredEpisode>& episodes) {
  return foremost(episodes, kDrawnEpisodes, [](const StoredEpisode& episode) {
    return std::pair(seriousness_of(episode.label), episode.from - episode.to);
  });
}

std::string episode_lane(const StoredResult& result) {
  if (!result.episodes || result.episodes->empty()) return "";
  const auto episodes = drawn_episodes(*result.episodes);
  const auto rows = groups_in(episodes);
  const auto count = static_cast<double>(rows.size());
  ChartSize size = kWide;
  size.bottom = 8;
  size.height = size.top + size.bottom + kRowPixels * count;
  Axis time = position_axis(result);
  time.label.clear();
  Chart chart(size, time, {0, count, "episodes", Axis::Kind::none}, "Episodes over the whole recording");
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double top = count - static_cast<double>(row);
    double drawn = -1;  // pixels are filled up to here
    for (const auto& episode : episodes) {
      if (group_of(episode.label) != rows[row].group || chart.x(episode.to) < drawn) continue;
      const double to = std::max(episode.to, episode.from + result.length() / 400);  // so that it is seen
      chart.bar("episode " + std::string(rows[row].group), episode.from, to, top - 0.95, top - 0.45,
                label_words(episode.label) + ", " + times_of(episode));
      drawn = chart.x(to);
    }
    chart.raw("<text class=\"row\" x=\"" + fixed(chart.left() + 4, 0) + "\" y=\"" + fixed(chart.y(top - 0.24) + 4, 1) +
              "\">" + std::string(rows[row].name) + "</text>");
  }
  return chart.svg();
}

Json episodes_json(const StoredResult& result) {
  if (!result.episodes || result.episodes->empty()) return nullptr;
  const auto episodes = drawn_episodes(*result.episodes);
  Json names = Json::array(), rows = names, from = names, to = names, name = names;
  std::map<std::string, std::size_t> places;
  for (const auto& group : groups_in(episodes)) rows.push_back({group.group, group.name});
  for (const auto& episode : episodes) {
    const auto [place, added] = places.try_emplace(episode.label, places.size());
    if (added) names.push_back({episode.label, label_words(episode.label), group_of(episode.label)});
    from.push_back(episode.from), to.push_back(episode.to), name.push_back(place->second);
  }
  return {{"names", names}, {"rows", rows}, {"from", from}, {"to", to}, {"name", name}};
}

void add_episodes(Page& page) {
  const StoredResult& result = page.result;
  if (!result.episodes) return;
  page.open_section(
      "episodes", "Episodes", "Episodes",
      "Rhythms, pauses, and signal that cannot be analysed, from beat classes, intervals and signal. Please verify "
      "in the strip.");
  std::string left_out;
  const auto listed = listed_episodes(*result.episodes, left_out);
  if (listed.empty()) {
    page.html += "<p>No episode was found.</p>\n";
    page.close_section();
    return;
  }
  std::vector<std::string> head{"episode", "from"};
  if (result.start) head.push_back("time of day");
  head.insert(head.end(), {"duration", "beats", "rate", "confidence", "signal"});
  std::vector<std::vector<std::string>> rows;
  for (const auto& episode : listed) rows.push_back(cells_of(result, episode));
  page.figure({"episode-table", "Every episode", label_filter(*result.episodes) + html_table("numbers", head, rows),
               "Rates are in beats a minute." + left_out + (left_out.empty() ? "" : " episodes.csv has all."), "wide"},
              columns_of(drawn_episodes(*result.episodes)));
  page.close_section();
}

}  // namespace beatscan
