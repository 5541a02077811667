// The model and the scores: training, active latents, the mean beat as baseline, the threshold.
#include <algorithm>
#include <cmath>

#include "app/report/density.h"
#include "app/report/html.h"
#include "app/report/page.h"

namespace beatscan {
namespace {

constexpr double kActiveVariance = 0.01;  // stages/score.h

void add_training(Page& page) {
  const Json& model = page.result.summary.at("model");
  const Json& loss = model.at("loss_per_epoch");
  if (loss.empty()) {
    page.html += "<p class=\"lead\">The model was not trained here but read from <code>" +
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
  if (test.is_number()) chart.horizontal("limit", test.get<double>(), "test beats, after training");
  chart.line("normal thick", points);
  if (points.size() < 60) chart.dots("normal", points, 5);
  page.figure({"training", "Training", chart.svg(),
               grouped(model.at("train_beats").get<std::int64_t>()) + " beats to train on, " +
                   grouped(model.at("test_beats").get<std::int64_t>()) + " to test, " +
                   grouped(model.at("parameters").get<std::int64_t>()) + " parameters."},
              {{"epoch", epochs}, {"loss", loss}});
}

// Horizontal bars with their numbers.
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
  page.figure(
      {"active", "Active latents: " + std::to_string(active) + " of " + std::to_string(latents.size()),
       bar_rows(latents, most),
       "Variance of each latent's mean over the test beats; active above " + significant(kActiveVariance, 2) + "."},
      {{"latent", number}, {"variance", diagnosis.at("latent_variance")}});
  const double explained = diagnosis.at("explained").get<double>();
  page.figure(
      {"errors", "Error against the mean beat", bar_rows(errors, std::max(mean_beat, model)),
       "Mean squared error of the test beats. " +
           (explained > 0 ? "The model explains " + percent(explained) + " of what predicting the mean beat leaves."
                          : std::string("Predicting the mean beat errs less: the model explains nothing."))},
      {{"of", {"model", "mean beat"}}, {"error", {model, mean_beat}}});
}

void add_scores(Page& page) {
  const StoredResult& result = page.result;
  const auto& scores = result.beats.score;
  constexpr int kBins = 100;
  Range range = range_of(scores, 5e-4);
  range.to = std::max(range.to, result.threshold + 0.5 * std::abs(result.threshold) + 1);
  range.from = std::min(range.from, result.threshold);
  const double width = (range.to - range.from) / kBins;  // the threshold is between two bars
  range.from = result.threshold - std::ceil((result.threshold - range.from) / width) * width;
  range.to = range.from + kBins * width;
  std::vector<std::int64_t> counts(kBins);
  std::int64_t beyond = 0;
  for (const float score : scores) {
    if (!std::isfinite(score)) continue;
    beyond += score > range.to;
    const double share = (score - range.from) / (range.to - range.from);
    ++counts[static_cast<int>(std::clamp(share, 0.0, 1 - 1e-9) * kBins)];
  }
  ChartSize size = kWide;
  size.height = 260;
  const auto most = static_cast<double>(std::ranges::max(counts));
  Chart chart(size, {range.from, range.to, "score"}, {0.7, 1.6 * std::max(most, 1.0), "beats", Axis::Kind::log},
              "Histogram of the scores with the threshold");
  Json from = Json::array(), number = from;
  for (int i = 0; i < kBins; ++i) {
    const double left = range.from + i * width, right = left + width;
    from.push_back(left), number.push_back(counts[i]);
    if (counts[i] > 0)
      chart.bar(left > result.threshold - width / 2 ? "abnormal" : "normal", left, right, 0.7,
                static_cast<double>(counts[i]),
                significant(left, 3) + " to " + significant(right, 3) + ": " + grouped(counts[i]));
  }
  std::string svg = chart.vertical("threshold", result.threshold).svg();
  const auto count = result.summary.at("anomaly").at("count").get<std::int64_t>();
  const auto slider = [](double value) { return std::to_string(std::llround(100 * value)); };  // in hundredths
  const std::string controls =
      "<div class=\"controls live\"><input type=\"range\" id=\"threshold\" aria-label=\"Threshold\" min=\"" +
      slider(range.from) + "\" max=\"" + slider(range.to) + "\" step=\"1\" value=\"" + slider(result.threshold) +
      "\"></div><p class=\"count\"><output "
      "id=\"threshold-count\" for=\"threshold\">" +
      grouped(count) + " beats are above " + significant(result.threshold, 4) +
      "</output> <button type=\"button\" class=\"live\" id=\"threshold-reset\">Threshold of the analysis</button></p>";
  page.figure(
      {"scores", "Scores and the threshold", svg + controls,
       "Beats are on a logarithmic axis. Moving the threshold counts anew; the rest of the page stays as it is." +
           (beyond > 0 ? " The last bar holds " + grouped(beyond) + " beats with higher scores too." : std::string()),
       "wide"},
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
  Chart chart(size, {both.from, both.to, "score of the baseline"}, {both.from, both.to, "score"},
              "Score of each beat against the baseline's");
  const Point diagonal[] = {{both.from, both.from}, {both.to, both.to}};
  chart.line("diagonal", diagonal).raw(hexagons(chart, normal, 8)).dots("abnormal", thinned(chart, abnormal, 2.5), 4);
  if (result.threshold < both.to) chart.horizontal("threshold", result.threshold, "threshold");
  page.figure(
      {"baseline", "Score against the baseline", chart.svg(),
       "The baseline is the plain distance from the median beat, with the same rhythm. On the diagonal both say "
       "the same.",
       "half pick"});
}

}  // namespace

void add_model(Page& page) {
  page.open_section("model", "Scores", "Model and scores");
  add_scores(page);
  if (page.result.published)  // has no baseline
    page.stacks({{[&] { add_training(page); }}, {[&] { add_diagnosis(page); }}});
  else
    page.stacks({{[&] { add_training(page); }, [&] { add_diagnosis(page); }}, {[&] { add_baseline(page); }}});
  page.close_section();
}

}  // namespace beatscan
