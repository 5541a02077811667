// The section on the intervals between P, QRS and T waves and on ST levels: of the whole recording, and hour by hour.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/report/drawing/html.h"
#include "app/report/sections/findings_html.h"
#include "app/report/sections/page.h"
#include "app/report/stored/stored_waves.h"
#include "app/report/words/findings_words.h"
#include "app/text/json_number.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

constexpr double kHourOfTrend_s = 3600;
constexpr double kLeastTrend_s = 2 * kHourOfTrend_s;  // a shorter recording has no trend

std::string share_text(double share) {
  return std::isnan(share) ? "–" : fixed(100 * share, share >= 0.9995 ? 0 : 1) + " %";
}
std::string milliseconds(double value) { return std::isnan(value) ? "–" : fixed(value, 0); }
std::string millivolts(double value) {
  if (std::isnan(value)) return "–";
  return std::abs(value) < 0.005 ? "0.00" : signed_text(fixed(value, 2));  // no −0.00
}

std::string qtc_name(const StoredWaves& waves) {
  return "QTc" + (waves.correction.empty() ? "" : ", " + escaped(waves.correction));
}

// --- The whole recording

// Returns words as a link to ten seconds of strip, which the result holds at full rate.
std::string strip_link(const std::string& words, double begin) { return finding_link({words, begin, begin + 10}); }

Tile interval_tile(double value, const std::string& name, const std::string& detail) {
  return {std::isnan(value) ? "–" : fixed(value, 0) + " ms", name, detail};
}

std::string longest_qtc_link(const LongestQtc& longest) {
  return strip_link("longest QTc of a minute: " + fixed(longest.qtc_ms, 0) + " ms, from " + clock_time(longest.begin_s),
                    longest.begin_s);
}

// Returns a link to the first P wave without a QRS complex; empty where there is none.
std::string non_conducted_link(const StoredResult& result) {
  const auto& samples = result.arrays.non_conducted_p.values;
  if (samples.empty()) return "";
  const double at = result.position(static_cast<double>(samples[0]));
  return strip_link("the first non-conducted P wave at " + clock_time(at, 1), std::max(at - 5, 0.0));
}

std::vector<Tile> interval_tiles(const StoredResult& result, const StoredWaves& waves) {
  const IntervalMedians& all = waves.summary.all;
  const auto& longest = waves.summary.longest_qtc;
  const std::string with_p = std::isnan(all.p_share) ? "" : share_text(all.p_share) + " of the beats have a P wave";
  return {interval_tile(all.pr, "PR interval", with_p),
          interval_tile(all.qrs, "QRS duration", ""),
          interval_tile(all.qt, "QT interval", ""),
          interval_tile(all.qtc, qtc_name(waves), longest ? longest_qtc_link(*longest) : ""),
          {grouped(all.non_conducted), "Non-conducted P waves", non_conducted_link(result)}};
}

// Returns the ST level of each lead, and its extremes over the hours where there are some.
std::string st_table(const StoredWaves& waves, bool has_trend) {
  std::vector<std::string> head{"ST level, mV"}, all{"whole recording"}, low{"lowest hour"}, high{"highest hour"};
  for (std::size_t l = 0; l < waves.leads.size(); ++l) {
    double least = std::nan(""), most = least;  // fmin and fmax of a NaN and a number are the number
    for (const auto& hour : waves.summary.hours)
      least = std::fmin(least, hour.st_mv[l]), most = std::fmax(most, hour.st_mv[l]);
    head.push_back(escaped(waves.leads[l]));
    all.push_back(millivolts(waves.summary.all.st_mv[l]));
    low.push_back(millivolts(least));
    high.push_back(millivolts(most));
  }
  return html_table("numbers", head,
                    has_trend ? std::vector{all, low, high} : std::vector<std::vector<std::string>>{all});
}

// --- Hour by hour

using Median = double IntervalMedians::*;

// The course of an interval: a point for each hour, in its middle.
std::vector<Point> course_of(const StoredResult& result, const StoredWaves& waves, Median median) {
  std::vector<Point> points;
  for (std::size_t hour = 0; hour < waves.summary.hours.size(); ++hour) {
    const double from = kHourOfTrend_s * static_cast<double>(hour);
    points.push_back(
        {(from + std::min(from + kHourOfTrend_s, result.length())) / 2, waves.summary.hours[hour].*median});
  }
  return points;
}

// The lines of a chart: a CSS class and an interval.
using Lines = std::vector<std::pair<std::string_view, Median>>;

// Draws intervals hour by hour; empty where no hour has one. `least_ms` is the least span of the axis, so that a steady
// interval looks steady.
std::string trend_chart(const StoredResult& result, const StoredWaves& waves, const std::string& name,
                        const Lines& lines, double least_ms, bool last) {
  double low = std::nan(""), high = low;
  for (const auto& [css, median] : lines)
    for (const Point& point : course_of(result, waves, median))
      low = std::fmin(low, point.y), high = std::fmax(high, point.y);
  if (std::isnan(low)) return "";
  const double margin = std::max(0.1 * (high - low), (least_ms - (high - low)) / 2);
  Axis time = position_axis(result);
  if (!last) time.label.clear();
  ChartSize size{540, last ? 156.0 : 122.0};
  if (!last) size.bottom = 8;
  Chart chart(size, time, {std::max(low - margin, 0.0), high + margin, name + ", ms"},
              name + " hour by hour, from " + fixed(low, 0) + " to " + fixed(high, 0) + " ms");
  const double diameter = waves.summary.hours.size() <= 48 ? 5 : 3;
  for (const auto& [css, median] : lines) {
    const auto points = course_of(result, waves, median);
    chart.line(css, points).dots(css.substr(0, css.find(' ')), points, diameter);
  }
  return chart.svg();
}

// Returns the points without a neighbour, of which a line shows nothing.
std::vector<Point> lonely(const std::vector<Point>& points) {
  const auto exists = [&](std::size_t i) { return i < points.size() && std::isfinite(points[i].y); };
  std::vector<Point> some;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (exists(i) && !exists(i - 1) && !exists(i + 1)) some.push_back(points[i]);  // 0 - 1 is beyond the last one
  return some;
}

// Draws the ST levels of all leads on one scale, a lane for each lead, with the lead's name on the left and the level
// of the whole recording on the right. A lane reaches from -`reach` to `reach`.
std::string st_chart(const StoredResult& result, const StoredWaves& waves, double reach) {
  const auto count = static_cast<double>(waves.leads.size());
  ChartSize size{540, 0, 88, 52};
  size.height = size.top + size.bottom + count * std::clamp(330 / count, 26.0, 110.0);
  Chart chart(size, position_axis(result), {0, count, "ST level, mV", Axis::Kind::none},
              "ST level of each lead hour by hour");
  std::string texts, zeros;
  for (std::size_t l = 0; l < waves.leads.size(); ++l) {
    const double middle = count - static_cast<double>(l) - 0.5;
    append_xy(zeros, 'M', chart.left(), chart.y(middle));
    append_xy(zeros, 'L', chart.right(), chart.y(middle));
    const auto text = [&](const char* css, double x, const std::string& words) {
      texts += "<text class=\"" + std::string(css) + "\" x=\"" + fixed(x, 0) + "\" y=\"" +
               fixed(chart.y(middle) + 4, 1) + "\">" + words + "</text>";
    };
    text("row-name", chart.left() - 6, escaped(shortened(waves.leads[l])));
    text("value", chart.right() + 6, millivolts(waves.summary.all.st_mv[l]));
  }
  chart.raw("<path class=\"grid\" d=\"" + zeros + "\"/>");
  for (std::size_t l = 0; l < waves.leads.size(); ++l) {
    const double middle = count - static_cast<double>(l) - 0.5;
    auto points = course_of(result, waves, &IntervalMedians::qt);
    for (std::size_t hour = 0; hour < points.size(); ++hour)
      points[hour].y = middle + waves.summary.hours[hour].st_mv[l] / (2 * reach);
    chart.line("normal", points).dots("normal", lonely(points), 4);
  }
  std::string svg = chart.svg();
  return svg.insert(svg.rfind("</svg>"), texts);
}

// Returns the reach of a lane of the chart of ST levels, in steps of 0.1 mV.
double st_reach(const StoredWaves& waves) {
  double most = 0;
  for (const auto& hour : waves.summary.hours)
    for (const double level : hour.st_mv) most = std::fmax(most, std::abs(level));
  return std::max(0.1, std::ceil(10 * most - 1e-9) / 10);
}

std::string trend_table(const StoredResult& result, const StoredWaves& waves) {
  std::vector<std::string> head{"from – to"};
  if (result.start) head.push_back("time of day");
  head.insert(head.end(), {"beats", "PR, ms", "QRS, ms", "QT, ms", "QTc, ms", "with P wave", "non-conducted P"});
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < waves.summary.hours.size(); ++i) {
    const IntervalMedians& hour = waves.summary.hours[i];
    const double from = kHourOfTrend_s * static_cast<double>(i);
    rows.push_back({hours_minutes(from) + " – " + hours_minutes(std::min(from + kHourOfTrend_s, result.length()))});
    if (result.start) rows.back().push_back(result.day_time(from));
    rows.back().insert(rows.back().end(),
                       {grouped(hour.beats), milliseconds(hour.pr), milliseconds(hour.qrs), milliseconds(hour.qt),
                        milliseconds(hour.qtc), share_text(hour.p_share), grouped(hour.non_conducted)});
  }
  return html_table("numbers", head, rows);
}

Columns trend_columns(const StoredWaves& waves) {
  const auto column = [&](auto&& value) {
    Json values = Json::array();
    for (const auto& hour : waves.summary.hours) {
      const double number = value(hour);
      values.push_back(or_null(std::isnan(number) ? std::nullopt : std::optional(number)));
    }
    return values;
  };
  const auto median = [&](Median member) { return column([&](const IntervalMedians& hour) { return hour.*member; }); };
  Json from = Json::array(), beats = from, lone = from;
  for (const auto& hour : waves.summary.hours) {
    from.push_back(kHourOfTrend_s * static_cast<double>(from.size()));
    beats.push_back(hour.beats), lone.push_back(hour.non_conducted);
  }
  Columns columns{{"from_s", from},
                  {"beats", beats},
                  {"pr_ms", median(&IntervalMedians::pr)},
                  {"qrs_ms", median(&IntervalMedians::qrs)},
                  {"qt_ms", median(&IntervalMedians::qt)},
                  {"qtc_ms", median(&IntervalMedians::qtc)},
                  {"p_share", median(&IntervalMedians::p_share)},
                  {"non_conducted_p", lone}};
  for (std::size_t l = 0; l < waves.leads.size(); ++l)
    columns.emplace_back("st_mv_" + waves.leads[l], column([&](const auto& hour) { return hour.st_mv[l]; }));
  return columns;
}

void add_trend(Page& page, const StoredWaves& waves) {
  const StoredResult& result = page.result;
  const double reach = st_reach(waves);
  const std::string charts =
      trend_chart(result, waves, "PR interval", {{"normal", &IntervalMedians::pr}}, 40, false) +
      trend_chart(result, waves, "QRS duration", {{"normal", &IntervalMedians::qrs}}, 40, false) +
      trend_chart(result, waves, "QT and QTc",
                  {{"model dashed", &IntervalMedians::qt}, {"normal", &IntervalMedians::qtc}}, 80, true) +
      legend({{"normal", qtc_name(waves)}, {"model dashed", "QT"}});
  page.figure(
      {"intervals-trend", "Intervals and ST level hour by hour",
       "<div class=\"stacks\"><div class=\"stack\">" + charts + "</div><div class=\"stack\">" +
           (waves.leads.empty() ? "" : st_chart(result, waves, reach)) + "</div></div>" + trend_table(result, waves),
       "A point is the median of an hour. A lane of the ST levels reaches from −" + fixed(reach, 1) + " to " +
           fixed(reach, 1) + " mV, and its line is 0; on the right is the level of the whole recording.",
       "wide"},
      trend_columns(waves));
}

}  // namespace

void add_intervals(Page& page) {
  const StoredResult& result = page.result;
  const auto waves = stored_waves(result);
  if (!waves) return;
  const bool has_trend = result.length() >= kLeastTrend_s && waves->summary.hours.size() > 1;
  page.open_section("intervals", "Intervals", "Intervals between P, QRS and T waves",
                    "Medians over the " + grouped(waves->summary.all.beats) +
                        " beats in good signal. A small net finds the waves in the average of a beat and its "
                        "neighbours of the same shape. An interval is absent where fewer than " +
                        std::to_string(kLeastMeasured) + " beats have it. The ST level is measured " +
                        fixed(1000 * waves->st_after_j_s, 0) +
                        " ms behind the end of the QRS complex. All of it may be wrong: look at the strip.");
  page.html += tiles_html(interval_tiles(result, *waves));
  if (!waves->leads.empty()) page.html += st_table(*waves, has_trend);
  if (has_trend) add_trend(page, *waves);
  page.close_section();
}

}  // namespace beatscan
