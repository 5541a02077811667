// The section on scores and the model: the threshold, the training, active latents, and comparisons with the mean beat
// and with the baseline.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/report/drawing/density.h"
#include "app/report/drawing/html.h"
#include "app/report/drawing/ranges.h"
#include "app/report/sections/page.h"
#include "app/text/numbers.h"
#include "stages/common/counted.h"
#include "stages/score/score.h"

namespace beatscan {
namespace {

void add_training(Page& page) {
  const Json& model = page.result.summary.at("model");
  if (const std::string why = page.result.why_no_model(); !why.empty()) {
    page.html += "<p class=\"lead\">There is no model: " + escaped(why) + ".</p>\n";
    return;
  }
  const Json& loss = model.at("loss_per_epoch");
  if (loss.empty()) {
    page.html += "<p class=\"lead\">This run trained no model. It read one from <code>" +
                 escaped(model.at("source").is_string() ? model.at("source").get<std::string>() : "a file") +
                 "</code>.</p>\n";
    return;
  }
  std::vector<Point> points;
  std::vector<float> values;
  Json epochs = Json::array();
  for (const auto& value : loss) {
    points.push_back({static_cast<double>(points.size() + 1), value.is_number() ? value.get<double>() : std::nan("")});
    values.push_back(static_cast<float>(points.back().y));
    epochs.push_back(points.size());
  }
  const Json& test = model.at("test_loss");
  if (test.is_number()) values.push_back(test.get<float>());
  const Range range = range_of(values, 0);
  Chart chart(kHalf, {1, static_cast<double>(loss.size()), "epoch", Axis::Kind::whole},
              {std::max(range.from - 0.1 * (range.to - range.from), 0.0), range.to, "loss per beat"},
              "Training: loss in each epoch");
  if (test.is_number()) chart.horizontal("limit", test.get<double>(), "test beats after training");
  chart.line("normal thick", points);
  if (points.size() < 60) chart.dots("normal", points, 5);
  const char* const rows = page.result.several_leads() ? "row" : "beat";  // a beat has a row in each lead
  page.figure({"training", "Training", chart.svg(),
               "The model has " + grouped(model.at("parameters").get<std::int64_t>()) +
                   " parameters. It was trained on " + grouped(model.at("train_beats").get<std::int64_t>(), rows) +
                   " and tested on " + grouped(model.at("test_beats").get<std::int64_t>(), "other") + "."},
              {{"epoch", epochs}, {"loss", loss}});
}

// A name with its number and a horizontal bar.
struct BarRow {
  std::string name;
  double value;
  std::string css;
};

std::string bar_rows(const std::vector<BarRow>& rows, double most) {
  std::vector<std::vector<std::string>> cells;
  for (const auto& row : rows)
    cells.push_back({row.name, significant(row.value, 3),
                     "<span class=\"meter\"><span class=\"" + row.css + "\" style=\"width:" +
                         fixed(std::clamp(100 * row.value / most, 0.0, 100.0), 1) + "%\"></span></span>"});
  return html_table("numbers meters", {}, cells);
}

void add_diagnosis(Page& page) {
  const Json& diagnosis = page.result.summary.at("model").at("diagnosis");
  if (diagnosis.is_null()) return;
  std::vector<BarRow> latents, errors;
  double most = kActiveVariance;
  Json number = Json::array();
  for (const auto& variance : diagnosis.at("latent_variance")) {
    const double value = variance.get<double>();
    number.push_back(latents.size());
    latents.push_back({"latent " + std::to_string(latents.size()), value, value > kActiveVariance ? "model" : "idle"});
    most = std::max(most, value);
  }
  const double mean_beat = diagnosis.at("mean_beat_error").get<double>(),
               model = diagnosis.at("test_reconstruction_error").get<double>();
  errors = {{"model", model, "model"}, {"mean beat", mean_beat, "median"}};
  const auto active = diagnosis.at("active_latents").get<int>();
  page.figure({"active", "Active latents: " + std::to_string(active) + " of " + std::to_string(latents.size()),
               bar_rows(latents, most),
               "The variance of each latent's mean over the test beats. A latent is active if it is above " +
                   significant(kActiveVariance, 2) + "."},
              {{"latent", number}, {"variance", diagnosis.at("latent_variance")}});
  const double explained = diagnosis.at("explained").get<double>();
  page.figure({"errors", "Error against the mean beat", bar_rows(errors, std::max(mean_beat, model)),
               "The mean squared error over the test beats, of the model and of always predicting the mean beat. " +
                   (explained > 0 ? "The model's error is " + percent(explained) + " smaller."
                                  : std::string("The model's error is not smaller, so it explains nothing."))},
              {{"of", {"model", "mean beat"}}, {"error", {model, mean_beat}}});
}

// Counts of scores in bars of equal width. The threshold lies between two bars.
struct ScoreBars {
  double from, width;
  std::vector<std::int64_t> counts;
  std::int64_t beyond = 0;  // scores counted in the last bar though they are higher
  double left(std::int64_t bar) const { return from + static_cast<double>(bar) * width; }
  double to() const { return left(std::ssize(counts)); }
};

ScoreBars score_bars(const std::vector<float>& scores, double threshold) {
  constexpr int kBars = 100;
  Range range = range_of(scores, 5e-4);
  range.to = std::max(range.to, threshold + 0.5 * std::abs(threshold) + 1);
  range.from = std::min(range.from, threshold);
  const double width = (range.to - range.from) / kBars;
  ScoreBars bars{threshold - std::ceil((threshold - range.from) / width) * width, width,
                 std::vector<std::int64_t>(kBars)};
  for (const float score : scores) {
    if (!std::isfinite(score)) continue;
    bars.beyond += score > bars.to();
    ++bars.counts[static_cast<int>(std::clamp((score - bars.from) / width, 0.0, kBars - 0.5))];
  }
  return bars;
}

// Returns a slider for the threshold, in hundredths and as wide as the chart's axis, and the count of beats above it.
std::string threshold_controls(const ScoreBars& bars, double threshold, std::int64_t count) {
  const auto hundredths = [](double value) { return std::to_string(std::llround(100 * value)); };
  return "<div class=\"controls live\"><input type=\"range\" id=\"threshold\" aria-label=\"Threshold\" min=\"" +
         hundredths(bars.from) + "\" max=\"" + hundredths(bars.to()) + "\" step=\"1\" value=\"" +
         hundredths(threshold) + "\"></div><p class=\"count\"><output id=\"threshold-count\" for=\"threshold\">" +
         grouped(count, "beat is", "beats are") + " above " + significant(threshold, 4) +
         "</output> <button type=\"button\" class=\"live\" id=\"threshold-reset\">Back to the "
         "threshold of the analysis</button></p>";
}

void add_scores(Page& page) {
  const StoredResult& result = page.result;
  const ScoreBars bars = score_bars(result.beats.score, result.threshold);
  ChartSize size = kWide;
  size.height = 260;
  const auto most = static_cast<double>(std::max<std::int64_t>(std::ranges::max(bars.counts), 1));
  constexpr double kFloor = 0.7;  // below 1, so that a single beat has a bar too
  Chart chart(size, {bars.from, bars.to(), "score"}, {kFloor, 1.6 * most, "beats", Axis::Kind::log},
              "Histogram of the scores with the threshold");
  Json from = Json::array(), number = from;
  for (std::int64_t i = 0; i < std::ssize(bars.counts); ++i) {
    const double left = bars.left(i), right = bars.left(i + 1);
    from.push_back(left), number.push_back(bars.counts[i]);
    if (bars.counts[i] > 0)
      chart.bar(left + bars.width / 2 > result.threshold ? "abnormal" : "normal", left, right, kFloor,
                static_cast<double>(bars.counts[i]),
                significant(left, 3) + " to " + significant(right, 3) + ": " + grouped(bars.counts[i]));
  }
  std::string note =
      "The vertical axis is logarithmic. Moving the slider counts the beats above another threshold; the rest of the "
      "page "
      "stays as it is.";
  if (bars.beyond > 0)
    note += " The last bar also holds " + grouped(bars.beyond, "beat") +
            by_count(bars.beyond, " with a higher score.", " with higher scores.");
  const auto count = result.summary.at("anomaly").at("count").get<std::int64_t>();
  page.figure({"scores", "Scores and the threshold",
               chart.vertical("threshold", result.threshold).svg() + threshold_controls(bars, result.threshold, count),
               note, "wide"},
              {{"from", from}, {"beats", number}});
}

void add_baseline(Page& page) {
  const StoredResult& result = page.result;
  const auto& beats = result.beats;
  std::vector<Point> normal, abnormal;
  for (std::int64_t i = 0; i < beats.size(); ++i)
    if (std::isfinite(beats.baseline_score[i]))
      (beats.anomalous[i] ? abnormal : normal).push_back({beats.baseline_score[i], beats.score[i]});
  if (normal.empty() && abnormal.empty()) return;
  const Range x = range_of(beats.baseline_score, 5e-4), y = range_of(beats.score, 5e-4);
  ChartSize size = kHalf;
  size.height = 470;
  const Range both{std::min(x.from, y.from), std::max(x.to, y.to)};
  Chart chart(size, {both.from, both.to, "baseline score"}, {both.from, both.to, "score"},
              "Score of each beat against its baseline score");
  const Point diagonal[] = {{both.from, both.from}, {both.to, both.to}};
  chart.line("diagonal", diagonal).raw(hexagons(chart, normal, 8)).dots("abnormal", thinned(chart, abnormal, 2.5), 4);
  if (result.threshold < both.to) chart.horizontal("threshold", result.threshold, "threshold");
  page.figure(
      {"baseline", "Score against the baseline", chart.svg(),
       "The baseline score uses the plain distance from the median beat, without a model, and the same rhythm. On the "
       "diagonal both scores agree.",
       "half pick"});
}

}  // namespace

void add_model(Page& page) {
  page.open_section(
      "model", "Scores", "Model and scores",
      page.result.published
          ? std::string("A score is the error with which the model decodes a beat, relative to the training beats.")
          : "A score is the sum of waveform, rhythm and class. Waveform and rhythm are about 0 for a normal beat; "
            "class "
            "is the log odds of S and V.");
  add_scores(page);
  if (page.result.published)  // this method has no baseline
    page.stacks({{[&] { add_training(page); }}, {[&] { add_diagnosis(page); }}});
  else
    page.stacks({{[&] { add_training(page); }, [&] { add_diagnosis(page); }}, {[&] { add_baseline(page); }}});
  page.close_section();
}

}  // namespace beatscan
