// Compares the arrays of report.html with the signal, the rows and the scores of the same run.
#include "app/output/report_data.h"

#include <algorithm>
#include <cmath>

#include "app/output/report_overview.h"
#include "stages/common/rows.h"
#include "stages/model/vae.h"
#include "tests/support/analysed.h"

namespace beatscan {
namespace {

template <class Context>
class ReportDataOf : public AnalysedOn<Context> {};
TYPED_TEST_SUITE(ReportDataOf, Backends, BackendNames);

// Returns the row of each beat of the report.
std::vector<std::int64_t> rows_of(const RunResult& result) {
  std::vector<std::int64_t> rows;
  for (const std::int64_t beat : result.report.beats)
    rows.push_back(std::ranges::find(result.beats.kept, beat) - result.beats.kept.begin());
  return rows;
}

void expect_highest_scores(const RunResult& result, std::int64_t count) {
  const auto rows = rows_of(result);
  ASSERT_EQ(std::ssize(rows), count);
  auto scores = result.scored.scores.score;
  std::ranges::sort(scores, std::greater<>());
  for (std::int64_t k = 0; k < count; ++k) {
    ASSERT_LT(rows[k], std::ssize(result.beats.kept));
    EXPECT_EQ(result.scored.scores.score[rows[k]], scores[k]) << k;
  }
}

void expect_strips_of_the_signal(const RunResult& result) {
  const auto& report = result.report;
  ASSERT_EQ(std::ssize(report.strips), std::ssize(report.beats) * report.strip_samples);
  for (std::size_t k = 0; k < report.beats.size(); ++k)
    for (std::int64_t j = 0; j < report.strip_samples; ++j) {
      const std::int64_t at =
          nearest_sample(result.beats.found.r_peaks[report.beats[k]]) - report.strip_samples / 2 + j;
      const float found = report.strips[k * report.strip_samples + j];
      if (at < 0 || at >= result.input.samples)
        ASSERT_TRUE(std::isnan(found)) << at;
      else
        ASSERT_EQ(found, result.arrays->signal[at]) << at;
    }
}

// The drawn rows are those that were scored: their reconstructions differ from them by the beat's error.
void expect_decoded_errors(const RunResult& result, double unit) {
  const auto rows = rows_of(result);
  const std::int64_t points = result.beats.row_points;
  ASSERT_EQ(std::ssize(result.report.rows), std::ssize(rows) * points);
  ASSERT_EQ(result.report.decoded.size(), result.report.rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    double error = 0;
    for (std::int64_t t = 0; t < points; ++t)
      error += std::pow((result.report.rows[k * points + t] - result.report.decoded[k * points + t]) / unit, 2) /
               static_cast<double>(points);
    EXPECT_NEAR(error / result.scored.rows.reconstruction_error[rows[k]], 1, 1e-3) << k;  // float32, in another order
  }
}

TYPED_TEST(ReportDataOf, RPeaks) {
  const RunResult result = this->result_of(20'000, {});
  const auto& report = result.report;
  ASSERT_GT(std::ssize(result.beats.kept), kReportBeats);
  expect_highest_scores(result, kReportBeats);
  EXPECT_EQ(report.strip_samples, 2500);
  expect_strips_of_the_signal(result);
  EXPECT_EQ(report.bin_samples, 1);
  ASSERT_EQ(std::ssize(report.bin_ranges), 20'000);
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(report.bin_ranges[i], result.arrays->signal[i]) << i;
  EXPECT_EQ(report.row_before_s, 0.150);
  EXPECT_EQ(report.row_after_s, 0.300);

  // row = median beat + unit * residual, with one unit for all.
  const std::int64_t points = result.beats.row_points;
  ASSERT_EQ(std::ssize(report.reference), 2 * points);
  const auto rows = rows_of(result);
  const auto residual = [&](std::int64_t k, std::int64_t t) {
    return static_cast<double>(result.arrays->embeddings[rows[k] * points + t]);
  };
  double products = 0, squares = 0;
  for (std::int64_t t = 0; t < points; ++t) {
    products += (report.rows[t] - report.reference[t]) * residual(0, t);
    squares += residual(0, t) * residual(0, t);
  }
  const double unit = products / squares;
  ASSERT_GT(unit, 0);
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::int64_t t = 0; t < points; ++t)
      ASSERT_NEAR(report.rows[k * points + t], report.reference[t] + unit * residual(k, t), 1e-5) << k << " " << t;
  expect_decoded_errors(result, unit);
  for (std::int64_t t = 0; t < points; ++t) {
    EXPECT_GT(report.reference[points + t], 0) << t;
    EXPECT_LT(report.reference[points + t], 0.5) << t << ": mV, of normal beats";
  }
}

TYPED_TEST(ReportDataOf, BeatsInGoodSignalComeFirst) {
  const RunResult result = this->result_of(20'000, {"score.threshold_deviations=1"}, 5000);
  const auto& found = result.beats.found;
  std::vector<std::pair<bool, float>> shown;  // in poor signal, score
  std::int64_t poor = 0, abnormal_poor = 0;
  for (const std::int64_t row : rows_of(result)) {
    shown.emplace_back(found.quality[result.beats.kept[row]] != Quality::good, -result.scored.scores.score[row]);
    poor += shown.back().first;
    EXPECT_TRUE(!shown.back().first || result.scored.scores.anomalous[row]) << row;
  }
  for (std::size_t row = 0; row < result.beats.kept.size(); ++row)
    abnormal_poor += found.quality[result.beats.kept[row]] != Quality::good && result.scored.scores.anomalous[row];
  EXPECT_TRUE(std::ranges::is_sorted(shown));
  ASSERT_GT(abnormal_poor, 0) << "the test needs some";
  ASSERT_LT(poor, std::ssize(shown));
  EXPECT_GE(poor, std::min(abnormal_poor, kReportPoorBeats));
}

TYPED_TEST(ReportDataOf, AllBeatsMayBeInPoorSignal) {
  const RunResult result = this->result_of(20'000, {}, 20'000);
  EXPECT_EQ(result.beats.worst_trusted, Quality::noisy);
  expect_highest_scores(result, kReportBeats);
}

TYPED_TEST(ReportDataOf, Published) {
  const RunResult result = this->result_of(20'000, {"method=published"});
  const auto& report = result.report;
  expect_highest_scores(result, std::min(kReportBeats, std::ssize(result.beats.kept)));
  expect_strips_of_the_signal(result);
  const auto rows = rows_of(result);
  const std::int64_t points = result.beats.row_points, count = std::ssize(result.beats.kept);
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::int64_t t = 0; t < points; ++t)
      ASSERT_EQ(report.rows[k * points + t], result.arrays->embeddings[rows[k] * points + t]) << k << " " << t;
  expect_decoded_errors(result, 1);
  for (const std::int64_t t : {0l, 100l, points - 1}) {  // all rows count, because there are fewer than the sample size
    double mean = 0, variance = 0;
    for (std::int64_t row = 0; row < count; ++row)
      mean += result.arrays->embeddings[row * points + t] / static_cast<double>(count);
    for (std::int64_t row = 0; row < count; ++row)
      variance += std::pow(result.arrays->embeddings[row * points + t] - mean, 2) / static_cast<double>(count);
    EXPECT_NEAR(report.reference[t], mean, 1e-5) << t;
    EXPECT_NEAR(report.reference[points + t], std::sqrt(variance), 1e-5) << t;
  }
  ASSERT_TRUE(report.row_before_s && report.row_after_s);
  EXPECT_EQ(*report.row_before_s, 0.36) << "half a window";
  EXPECT_NEAR(*report.row_before_s + *report.row_after_s, 1.024, 1e-12);
}

TYPED_TEST(ReportDataOf, WithoutARateStripsCountSamples) {
  const RunResult result =
      this->result_of(20'000, {"method=published", "ingest.sample_rate_hz=null", "segment.window_samples=180",
                               "filter.width_samples=10", "embed.min_length_samples=100",
                               "embed.max_length_samples=256", "embed.row_span_samples=256"});
  EXPECT_EQ(result.report.strip_samples, kStripSamplesWithoutRate);
  EXPECT_FALSE(result.report.row_before_s || result.report.row_after_s);
  const Json json = report_json(result.report);
  EXPECT_TRUE(json["row_before_s"].is_null());
  EXPECT_TRUE(json["row_after_s"].is_null());
}

TYPED_TEST(ReportDataOf, FewBeatsAndAShortRecording) {
  const RunResult result = this->result_of(2000, {});  // 8 s: all strips extend beyond its ends
  ASSERT_LT(std::ssize(result.beats.kept), kReportBeats);
  expect_highest_scores(result, std::ssize(result.beats.kept));
  expect_strips_of_the_signal(result);
  EXPECT_TRUE(std::isnan(result.report.strips.front()) || std::isnan(result.report.strips.back()));
}

TYPED_TEST(ReportDataOf, LongRecordingsAreDrawnInBins) {
  const RunResult result = this->result_of(kSignalBins + 1, {"vae.epochs=1"});
  EXPECT_EQ(result.report.bin_samples, 2);
  ASSERT_EQ(std::ssize(result.report.bin_ranges), kSignalBins + 2);
  const auto& signal = result.arrays->signal;
  EXPECT_EQ(result.report.bin_ranges[0], std::min(signal[0], signal[1]));
  EXPECT_EQ(result.report.bin_ranges[1], std::max(signal[0], signal[1]));
  EXPECT_EQ(result.report.bin_ranges.back(), signal.back());
  ASSERT_TRUE(result.waves.summary && result.waves.summary->longest_qtc);
  const double longest_s = result.waves.summary->longest_qtc->begin_s;
  EXPECT_EQ(std::ranges::count(result.report.finding_places, nearest_sample(250 * (longest_s + kStrip_s / 2))), 1)
      << "the page links to the longest QTc";
}

void expect_even(const std::vector<double>& values) {
  ASSERT_EQ(std::ssize(values), kGridSide);
  for (int i = 1; i < kGridSide; ++i) EXPECT_NEAR(values[i] - values[i - 1], values[1] - values[0], 1e-9);
  EXPECT_LE(values.front(), -2);
  EXPECT_GE(values.back(), 2);
}

// The fused step supports neither four latents nor one, so LibTorch is used, which looks for a GPU once per process. On
// Cuda a separate program tests this (scripts/test_gpu compare).
using ReportDataOnCpu = ReportDataOf<Cpu>;
TEST_F(ReportDataOnCpu, TheGridIsOfTheTwoLatentsThatVaryMost) {
  const RunResult result = this->result_of(20'000, {"vae.latents=4"});
  const auto& report = result.report;
  const auto& variance = result.model.diagnosis.latent_variance;
  ASSERT_EQ(report.grid_latents.size(), 2u);
  auto sorted = variance;
  std::ranges::sort(sorted, std::greater<>());
  for (const int axis : {0, 1}) {
    EXPECT_EQ(variance[report.grid_latents[axis]], sorted[axis]);
    expect_even(report.grid_values[axis]);
  }
  const std::int64_t points = result.beats.row_points;
  ASSERT_EQ(std::ssize(report.grid), kGridSide * kGridSide * points);
  // A neighbour along either axis is another beat.
  for (const int step : {1, kGridSide})
    EXPECT_FALSE(std::equal(&report.grid[0], &report.grid[points], &report.grid[step * points]));
}

TEST_F(ReportDataOnCpu, AGridOfOneLatentIsALine) {
  const RunResult result = this->result_of(20'000, {"vae.latents=1"});
  EXPECT_EQ(result.report.grid_latents, std::vector<int>{0});
  ASSERT_EQ(result.report.grid_values.size(), 2u);
  expect_even(result.report.grid_values[0]);
  EXPECT_EQ(result.report.grid_values[1], std::vector<double>{0});
  EXPECT_EQ(std::ssize(result.report.grid), kGridSide * result.beats.row_points);
}

// The grid and the beats are decoded by one function: at the latents of a row, the grid gives that row.
TYPED_TEST(ReportDataOf, RowsOfTheGridAreInTheirPlaces) {
  const RunResult result = this->result_of(20'000, {});
  const auto& report = result.report;
  VaeOptions options = this->config_.vae;
  options.epochs = 0;
  auto& context = this->context();
  Rows<TypeParam> rows{.values = from_host(context, result.arrays->embeddings),
                       .count = std::ssize(result.beats.kept),
                       .points = result.beats.row_points};
  const auto model = train_vae(context, rows, options, {1, result.model.parameters}).model;
  for (const auto& [x, y] : {std::pair{0, 0}, {8, 0}, {3, 5}}) {
    std::vector<float> z(2);
    z[report.grid_latents[0]] = static_cast<float>(report.grid_values[0][x]);
    z[report.grid_latents[1]] = static_cast<float>(report.grid_values[1][y]);
    const auto residual = decoded_rows(context, model, z);
    const float* row = &report.grid[(y * kGridSide + x) * result.beats.row_points];
    // A row is median beat + unit * residual, as above; the unit follows from any two points.
    const double unit = (row[100] - report.reference[100] - row[60] + report.reference[60]) /
                        static_cast<double>(residual[100] - residual[60]);
    for (std::int64_t t = 0; t < result.beats.row_points; ++t)
      ASSERT_NEAR(row[t], report.reference[t] + unit * residual[t], 1e-4) << x << " " << y << " " << t;
  }
}

}  // namespace
}  // namespace beatscan
