// The section that compares the result with reference beats, where the run was given some.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "app/report/drawing/html.h"
#include "app/report/sections/page.h"
#include "app/text/numbers.h"
#include "stages/common/counted.h"

namespace beatscan {
namespace {

std::string share_text(const Json& value) { return value.is_number() ? percent(value.get<double>()) : "–"; }
std::string figure_text(const Json& value) { return value.is_number() ? fixed(value.get<double>(), 4) : "–"; }
std::string count_text(const Json& value) { return value.is_number() ? grouped(value.get<std::int64_t>()) : "–"; }

void add_detection_table(Page& page, const Json& detection) {
  page.figure({"detected", "Detection",
               html_table("numbers", {},
                          {{"sensitivity", share_text(detection.at("sensitivity"))},
                           {"positive predictive value", share_text(detection.at("ppv"))},
                           {"F1", figure_text(detection.at("f1"))},
                           {"found", count_text(detection.at("tp"))},
                           {"missed", count_text(detection.at("fn"))},
                           {"false", count_text(detection.at("fp"))}}),
               "A beat counts as found if it lies within " +
                   significant(detection.at("tolerance_ms").get<double>(), 4) + " ms of a reference beat."},
              {{"what", {"sensitivity", "ppv", "f1", "tp", "fn", "fp"}},
               {"value",
                {detection.at("sensitivity"), detection.at("ppv"), detection.at("f1"), detection.at("tp"),
                 detection.at("fn"), detection.at("fp")}}});
}

constexpr std::pair<const char*, const char*> kTasks[] = {{"V", "ventricular (V) against normal"},
                                                          {"SVF", "S, V and F against normal"}};

void add_ranking_table(Page& page, const Json& evaluation) {
  std::vector<std::vector<std::string>> rows;
  Json task = Json::array(), method = task, auroc = task, precision = task;
  for (const auto& [key, words] : kTasks)
    for (const auto& [part, name] : {std::pair{"anomaly", "score"}, {"baseline", "baseline"}}) {
      if (!evaluation.contains(part)) continue;
      const Json& figures = evaluation.at(part).at(key);
      const bool first = std::string_view(part) == "anomaly";
      rows.push_back({first ? words : "", name, figure_text(figures.at("auroc")),
                      figure_text(figures.at("average_precision")), first ? count_text(figures.at("positives")) : "",
                      first ? count_text(figures.at("negatives")) : ""});
      task.push_back(key), method.push_back(name);
      auroc.push_back(figures.at("auroc")), precision.push_back(figures.at("average_precision"));
    }
  page.figure({"ranked", "Ranking",
               html_table("numbers", {"", "by", "AUROC", "average precision", "positives", "negatives"}, rows),
               "A reference beat that was not found counts with the lowest score."},
              {{"task", task}, {"by", method}, {"auroc", auroc}, {"average_precision", precision}});
}

void add_symbols(Page& page, const Json& evaluation) {
  if (!evaluation.contains("symbols")) return;
  std::vector<std::vector<std::string>> rows;
  Json symbol = Json::array(), number = symbol, found = symbol, abnormal = symbol;
  for (const auto& [name, counts] : evaluation.at("symbols").items()) {
    const auto all = counts.at("beats").get<std::int64_t>(), seen = counts.at("found").get<std::int64_t>(),
               high = counts.at("anomalous").get<std::int64_t>();
    const double share = static_cast<double>(high) / static_cast<double>(std::max<std::int64_t>(all, 1));
    rows.push_back({escaped(name), grouped(all), grouped(seen), grouped(all - seen), grouped(high),
                    grouped(seen - high),
                    "<span class=\"meter\"><span class=\"abnormal\" style=\"width:" + fixed(100 * share, 1) +
                        "%\"></span></span>"});
    symbol.push_back(name), number.push_back(all), found.push_back(seen), abnormal.push_back(high);
  }
  const auto wrong_beats = evaluation.value("false_beats", std::int64_t{0});
  const std::string wrong = evaluation.contains("false_beats")
                                ? grouped(wrong_beats) + " of the detected beats " +
                                      by_count(wrong_beats, "matches", "match") + " no reference beat."
                                : "";
  page.figure({"symbols", "By reference symbol",
               html_table("numbers", {"symbol", "beats", "found", "missed", "abnormal", "normal", ""}, rows), wrong},
              {{"symbol", symbol}, {"beats", number}, {"found", found}, {"abnormal", abnormal}});
}

void add_roc(Page& page, const Json& evaluation) {
  ChartSize size = kHalf;
  size.height = 500;
  size.right = size.width - size.left - (size.height - size.top - size.bottom);
  Chart chart(size, {0, 1, "false positive rate"}, {0, 1, "true positive rate"},
              "ROC curves of the score and the baseline");
  const Point diagonal[] = {{0, 0}, {1, 1}};
  chart.line("diagonal", diagonal);
  Json curve = Json::array(), x = curve, y = curve;
  std::vector<std::pair<std::string_view, std::string_view>> entries;
  for (const auto& [part, key, css, name] : {std::tuple{"baseline", "SVF", "normal dashed", "S, V, F: baseline"},
                                             {"baseline", "V", "abnormal dashed", "V: baseline"},
                                             {"anomaly", "SVF", "normal thick", "S, V, F: score"},
                                             {"anomaly", "V", "abnormal thick", "V: score"}}) {
    const Json points = evaluation.value(part, Json::object()).value(key, Json::object()).value("roc", Json());
    if (!points.is_array() || points.empty()) continue;
    std::vector<Point> line;
    for (const auto& point : points) {
      line.push_back({point.at(0).get<double>(), point.at(1).get<double>()});
      curve.push_back(name), x.push_back(line.back().x), y.push_back(line.back().y);
    }
    chart.line(css, line);
    entries.insert(entries.begin(), {css, name});
  }
  if (entries.empty()) return;
  page.figure({"roc", "ROC", chart.svg() + legend(entries)},
              {{"curve", curve}, {"false_positive_rate", x}, {"true_positive_rate", y}});
}

}  // namespace

void add_truth(Page& page) {
  const Json& summary = page.result.summary;
  if (!summary.contains("evaluation")) return;
  const Json& evaluation = summary.at("evaluation");
  page.open_section("truth", "Reference", "Compared with the reference beats");
  page.stacks({{[&] { add_detection_table(page, evaluation.at("detection")); },
                [&] { add_ranking_table(page, evaluation); }, [&] { add_symbols(page, evaluation); }},
               {[&] { add_roc(page, evaluation); }}});
  page.close_section();
}

}  // namespace beatscan
