// The section on rhythm: intervals between beats, which beats were dropped, and where the signal is poor.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "app/report/drawing/density.h"
#include "app/report/drawing/html.h"
#include "app/report/drawing/ranges.h"
#include "app/report/sections/page.h"
#include "app/report/sections/quality.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

// Returns an axis from 0 that leaves out the rare longest intervals.
Axis rr_axis(const StoredResult& result, std::string_view what) {
  std::vector<float> intervals = result.beats.rr_next;
  const Range range = range_of(std::move(intervals), 5e-4);
  return interval_axis(result, 0, range.to * 1.08, what);
}

void add_tachogram(Page& page) {
  const StoredResult& result = page.result;
  const auto& beats = result.beats;
  std::vector<Point> normal, abnormal;
  for (std::int64_t i = 1; i < beats.size(); ++i)
    if (const float rr = beats.rr_prev(i); std::isfinite(rr))
      (beats.anomalous[i] ? abnormal : normal).push_back({result.beat_position(i), rr});
  ChartSize size = kWide;
  size.height = 210;
  Chart chart(size, position_axis(result), rr_axis(result, "RR interval before the beat"),
              "Tachogram: interval before each beat over the recording");
  chart.dots("normal", thinned(chart, normal, 2), 1.9).dots("abnormal", thinned(chart, abnormal, 2), 3.2);
  page.figure({"tachogram", "Tachogram",
               "<div class=\"static\">" + chart.svg() + "</div><div class=\"live\"></div>" +
                   legend({{"normal", "normal beat"}, {"abnormal", "abnormal beat"}}),
               "", "wide"});
}

struct Limit {
  double at;
  std::string text;
};

double config_number(const Json& config, const char* section, const char* key) {
  return config.value(section, Json::object()).value(key, std::nan(""));
}

// Returns the limits that the configuration sets to intervals, in the axis' unit.
std::vector<Limit> limits_of(const StoredResult& result) {
  if (!result.published) {
    const double least = config_number(result.config, "detect", "distance_s");
    return {{least, "shortest allowed"}};
  }
  std::vector<Limit> limits;
  for (const auto& [key, text] : {std::pair{"min_length", "shortest kept"}, {"max_length", "longest kept"}}) {
    double samples = config_number(result.config, "embed", (std::string(key) + "_samples").c_str());
    const double seconds = config_number(result.config, "embed", (std::string(key) + "_s").c_str());
    if (result.rate_hz) samples = std::isfinite(seconds) ? seconds : samples / *result.rate_hz;
    if (std::isfinite(samples)) limits.push_back({samples, text});
  }
  return limits;
}

void add_lengths(Page& page) {
  const StoredResult& result = page.result;
  constexpr int kBins = 90;
  Axis axis = rr_axis(result, "interval to the next beat");
  const auto limits = limits_of(result);
  for (const auto& limit : limits) axis.to = std::max(axis.to, 1.1 * limit.at);
  std::vector<std::int64_t> counts(kBins);
  std::int64_t beyond = 0;
  for (const float rr : result.beats.rr_next)
    if (std::isfinite(rr)) rr < axis.to ? void(++counts[static_cast<int>(rr / axis.to * kBins)]) : void(++beyond);
  Chart chart(kHalf, axis, {0, 1.08 * static_cast<double>(std::ranges::max(counts)), "beats", Axis::Kind::whole},
              "Histogram of the intervals between beats, with their limits");
  Json from = Json::array(), number = from;
  for (int i = 0; i < kBins; ++i) {
    const double left = axis.to * i / kBins;
    from.push_back(left);
    number.push_back(counts[i]);
    if (counts[i] > 0)
      chart.bar("normal", left, axis.to * (i + 1) / kBins, 0, static_cast<double>(counts[i]),
                significant(left, 3) + " to " + significant(axis.to * (i + 1) / kBins, 3) + ": " + grouped(counts[i]));
  }
  for (const auto& limit : limits) chart.vertical("limit", limit.at, limit.text);
  page.figure({"lengths", "Intervals between beats", chart.svg(),
               beyond > 0 ? grouped(beyond, "longer interval is", "longer intervals are") + " not shown." : ""},
              {{"from", from}, {"beats", number}});
}

void add_poincare(Page& page) {
  const StoredResult& result = page.result;
  const auto& beats = result.beats;
  std::vector<Point> normal, abnormal;
  for (std::int64_t i = 1; i < beats.size(); ++i) {
    const Point point{beats.rr_prev(i), beats.rr_next[i]};
    if (std::isfinite(point.x) && std::isfinite(point.y)) (beats.anomalous[i] ? abnormal : normal).push_back(point);
  }
  ChartSize size = kHalf;
  size.height = 500;
  size.right = size.width - size.left - (size.height - size.top - size.bottom);  // a square
  Axis x = rr_axis(result, "RR interval before the beat"), y = rr_axis(result, "RR interval after the beat");
  Chart chart(size, x, y, "Poincaré plot: interval after each beat against the interval before it");
  const Point diagonal[] = {{0, 0}, {x.to, x.to}};
  chart.line("diagonal", diagonal).raw(hexagons(chart, normal, 7)).dots("abnormal", thinned(chart, abnormal, 2.5), 4);
  page.figure(
      {"poincare", "Poincaré plot",
       chart.svg() +
           legend({{"density", "normal beats; a stronger colour means more of them"}, {"abnormal", "abnormal beat"}}),
       "Each point is a beat, placed by the intervals before and after it. Beats of a regular rhythm lie on the "
       "diagonal, premature beats with a compensatory pause at the upper left.",
       "half pick"});
}

void add_drops(Page& page) {
  const Json& beats = page.result.summary.at("beats");
  const Json& dropped = beats.at("dropped");
  const auto found = beats.at("found").get<std::int64_t>();
  std::vector<std::vector<std::string>> rows;
  Json reasons = Json::array(), counts = reasons;
  const auto add = [&](const std::string& name, std::int64_t count) {
    const double share = static_cast<double>(count) / static_cast<double>(std::max<std::int64_t>(found, 1));
    rows.push_back({name, grouped(count), percent(share),
                    "<span class=\"meter\"><span style=\"width:" + fixed(100 * share, 2) + "%\"></span></span>"});
    reasons.push_back(name);
    counts.push_back(count);
  };
  add("kept and scored", beats.at("kept").get<std::int64_t>());
  const std::map<std::string, std::string> words{{"too_short", "too short"},
                                                 {"too_long", "too long"},
                                                 {"in_gap", "touches missing samples"},
                                                 {"last", "the last, with no end"}};
  for (const auto& [key, count] : dropped.items()) {
    // The default method drops no beat for its length, so these rows are left out where they are 0.
    if (!page.result.published && key != "in_gap" && count == 0) continue;
    const auto known = words.find(key);
    add(known == words.end() ? escaped(key) : known->second, count.get<std::int64_t>());
  }
  page.figure(
      {"drops", "Beats kept, and why others were dropped", html_table("numbers", {"", "beats", "share", ""}, rows)},
      {{"reason", reasons}, {"beats", counts}});
}

}  // namespace

void add_detection(Page& page) {
  page.open_section("detection", "Rhythm", "Detection and rhythm");
  add_tachogram(page);
  page.stacks({{[&] { add_lengths(page); }, [&] { add_drops(page); }, [&] { add_quality(page); }},
               {[&] { add_poincare(page); }}});
  page.close_section();
}

}  // namespace beatscan
