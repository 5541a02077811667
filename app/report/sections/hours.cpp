// The section with a table of the recording hour by hour; a shorter recording has smaller windows.
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/report/sections/page.h"
#include "app/report/sections/timeline.h"
#include "app/report/words/findings_words.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

constexpr double kHour = 3600;

// Returns the places of the kinds that are shown: fusion beats and those not told only where there are some.
std::vector<std::size_t> shown_kinds(const StoredResult& result) {
  std::vector<std::size_t> shown;
  for (std::size_t kind = 0; result.has_kinds() && kind < kKindLetters.size(); ++kind)
    if (kKindLetters[kind] == 'N' || kKindLetters[kind] == 'S' || kKindLetters[kind] == 'V' ||
        std::ranges::count(result.beats.kind, kKindLetters[kind]) > 0)
      shown.push_back(kind);
  return shown;
}

std::vector<std::string> row_of(const Window& window, const StoredResult& result, const std::vector<std::size_t>& kinds,
                                std::int64_t most) {
  const bool timed = result.rate_hz.has_value();
  const auto rate = [](double value) { return std::isfinite(value) ? fixed(value, 0) : "–"; };
  const double width =
      100 * static_cast<double>(window.abnormal) / static_cast<double>(std::max<std::int64_t>(most, 1));
  const auto text = [&](double position) {
    return !timed                         ? grouped(std::llround(position))
           : result.length() >= 2 * kHour ? hours_minutes(position)
                                          : clock_time(position);
  };
  const std::string from = text(window.from), to = text(window.to);
  std::vector<std::string> row{"<a class=\"go\" href=\"#overview\" data-from=\"" + fixed(window.from, 3) +
                               "\" data-to=\"" + fixed(window.to, 3) + "\">" + from + " – " + to + "</a>"};
  if (result.start) row.push_back(result.day_time(window.from));
  row.push_back(grouped(window.beats));
  if (timed) row.insert(row.end(), {rate(window.slowest), rate(window.mean_rate), rate(window.fastest)});
  for (const std::size_t kind : kinds) row.push_back(grouped(window.kinds[kind]));
  if (result.episodes) row.push_back(tells_fibrillation(result) ? percent(window.fibrillation) : "–");
  row.insert(
      row.end(),
      {grouped(window.abnormal),
       window.scored > 0 ? percent(static_cast<double>(window.abnormal) / static_cast<double>(window.scored)) : "–",
       "<span class=\"meter\"><span class=\"abnormal\" style=\"width:" + fixed(width, 1) + "%\"></span></span>"});
  if (result.summary.at("quality").is_object()) row.push_back(percent(1 - window.poor));
  return row;
}

Columns table_of(const std::vector<Window>& windows, bool tells_af) {
  Json from = Json::array(), to = from, beats = from, slow = from, mean = from, fast = from, abnormal = from,
       good = from, fibrillation = from;
  std::array<Json, kKinds> kinds;
  kinds.fill(from);
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  for (const auto& window : windows) {
    from.push_back(window.from), to.push_back(window.to), beats.push_back(window.beats);
    slow.push_back(number(window.slowest)), mean.push_back(number(window.mean_rate));
    fast.push_back(number(window.fastest)), abnormal.push_back(window.abnormal), good.push_back(1 - window.poor);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) kinds[kind].push_back(window.kinds[kind]);
    fibrillation.push_back(tells_af ? Json(window.fibrillation) : Json());
  }
  return {{"from", from},      {"to", to},          {"beats", beats},       {"rate_min", slow},
          {"rate_mean", mean}, {"rate_max", fast},  {"abnormal", abnormal}, {"analysable", good},
          {"n", kinds[0]},     {"s", kinds[1]},     {"v", kinds[2]},        {"f", kinds[3]},
          {"q", kinds[4]},     {"af", fibrillation}};
}

}  // namespace

void add_hours(Page& page) {
  const StoredResult& result = page.result;
  const bool timed = result.rate_hz.has_value();
  const double width =
      timed && result.length() > 3 * kHour ? std::max(kHour, window_width(result, 96)) : window_width(result, 18);
  const auto windows = windows_of(result, width);
  std::int64_t most = 0;
  for (const auto& window : windows) most = std::max(most, window.abnormal);
  std::vector<std::string> head{timed ? "from – to" : "samples"};
  if (result.start) head.push_back("time of day");
  head.push_back("beats");
  if (timed) head.insert(head.end(), {"rate min", "mean", "max"});
  const auto kinds = shown_kinds(result);
  for (const std::size_t kind : kinds) head.emplace_back(1, kKindLetters[kind]);
  if (result.episodes) head.push_back("AF");
  head.insert(head.end(), {"abnormal", "share", ""});
  if (result.summary.at("quality").is_object()) head.push_back("analysable");
  std::vector<std::vector<std::string>> rows;
  for (const auto& window : windows) rows.push_back(row_of(window, result, kinds, most));
  const std::string title = width == kHour && timed ? "Hours" : "Course";
  page.open_section("hours", title, title);
  page.figure(
      {"course",
       timed ? (width == kHour ? "Every hour" : "Every " + duration(width))
             : "Every " + grouped(std::llround(width)) + " samples",
       html_table("numbers", head, rows),
       timed ? "Heart rates are in beats a minute: the mean over all intervals, and the slowest and the fastest " +
                   std::to_string(kRateIntervals) +
                   " intervals in a row. The share is that of abnormal beats among the beats with a score."
             : "The share is that of abnormal beats among the beats with a score.",
       "wide"},
      table_of(windows, tells_fibrillation(result)));
  page.close_section();
}

}  // namespace beatscan
