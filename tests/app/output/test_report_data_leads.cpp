// Compares the arrays of report.html of several leads with the signals, the rows and the scores of the same run.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "app/common/log.h"
#include "app/output/output_folder.h"
#include "app/output/report_data.h"
#include "app/pipeline/pipeline.h"
#include "app/synthetic/generate.h"
#include "tests/support/backends.h"
#include "tests/support/read_npy.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

constexpr std::int64_t kSamples = 20'000, kLeads = 3;

// Writes a generated ECG in three leads: unchanged, inverted, and larger but flat for a while.
std::filesystem::path three_leads(const TemporaryFolder& folder) {
  const auto one = folder.path() / "one.csv", three = folder.path() / "three.csv";
  generate(Cpu(1), {.samples = kSamples, .abnormal_share = 0.1}, one, true);
  std::ifstream from(one);
  std::ofstream to(three);
  to << "I,II,V5\n";
  std::string line;
  std::getline(from, line);
  for (int i = 0; std::getline(from, line); ++i) {
    const double value = std::stod(line);
    to << value << "," << -0.6 * value + 0.03 * std::sin(0.7 * i) << "," << (i > 6000 && i < 9000 ? 0 : 1.5 * value)
       << "\n";
  }
  return three;
}

template <class Context>
class ReportDataOfLeads : public OnBackend<Context> {
 protected:
  RunResult result_of_three_leads() {
    const Config config = load_config("", {"ingest.sample_rate_hz=250", "vae.epochs=2"});
    const RunRequest request{.input = three_leads(folder_), .config = config, .rate = {}, .save_arrays = true};
    Log log(0, LogFormat::text);
    auto opened = open_recording(this->context(), request, open_input(request));
    return analyse(this->context(), std::move(opened), request, log);
  }
  TemporaryFolder folder_;
};
TYPED_TEST_SUITE(ReportDataOfLeads, Backends, BackendNames);

std::int64_t row_of(const RunResult& result, std::int64_t k) {
  return std::ranges::find(result.beats.kept, result.report.beats[k]) - result.beats.kept.begin();
}

void expect_signal(const RunResult& result) {
  const auto& report = result.report;
  const auto beats = std::ssize(report.beats), size = report.strip_samples;
  ASSERT_EQ(std::ssize(report.strips), kLeads * beats * size);
  for (std::int64_t lead = 0; lead < kLeads; ++lead)
    for (std::int64_t k = 0; k < beats; ++k)
      for (std::int64_t j = 0; j < size; ++j) {
        const auto at = nearest_sample(result.beats.found.r_peaks[report.beats[k]]) - size / 2 + j;
        const float found = report.strips[(lead * beats + k) * size + j];
        if (at < 0 || at >= kSamples)
          ASSERT_TRUE(std::isnan(found)) << at;
        else
          ASSERT_EQ(found, result.arrays->signal[lead * kSamples + at]) << lead << " " << at;
      }
  EXPECT_EQ(report.other_bin_samples, 1);
  ASSERT_EQ(std::ssize(report.other_bin_ranges), (kLeads - 1) * kSamples);
  for (std::int64_t i = 0; i < (kLeads - 1) * kSamples; ++i)
    ASSERT_EQ(report.other_bin_ranges[i], result.arrays->signal[kSamples + i]) << i;
}

TYPED_TEST(ReportDataOfLeads, StripsAndEnvelopesAreOfEveryLead) {
  const RunResult result = this->result_of_three_leads();
  EXPECT_EQ(result.report.leads, kLeads);
  expect_signal(result);
}

// A row is median beat + unit * residual, with the median beat and the unit of its own lead.
TYPED_TEST(ReportDataOfLeads, RowsAreInTheLeadThatSaysMost) {
  const RunResult result = this->result_of_three_leads();
  const auto& report = result.report;
  const auto& cut = result.beats.leads;
  EXPECT_EQ(report.reference_leads, cut);
  const std::int64_t points = result.beats.row_points, beats = std::ssize(result.beats.kept);
  ASSERT_EQ(std::ssize(report.reference), std::ssize(cut) * 2 * points);
  ASSERT_EQ(report.row_leads.size(), report.beats.size());
  std::vector<double> units(cut.size());
  std::vector<bool> shown(cut.size());
  for (std::size_t k = 0; k < report.beats.size(); ++k) {
    const auto row = row_of(result, static_cast<std::int64_t>(k));
    ASSERT_EQ(report.row_leads[k], result.scored.ranking->lead[row]) << k;
    const auto lead = std::ranges::find(cut, report.row_leads[k]) - cut.begin();
    const float* residual = &result.arrays->embeddings[(lead * beats + row) * points];
    const float* median = &report.reference[2 * lead * points];
    const float* values = &report.rows[k * points];
    if (!shown[lead]) {
      double products = 0, squares = 0;
      for (std::int64_t t = 0; t < points; ++t)
        products += (values[t] - median[t]) * residual[t], squares += residual[t] * residual[t];
      units[lead] = products / squares;
      shown[lead] = true;
      EXPECT_GT(units[lead], 0);
    }
    for (std::int64_t t = 0; t < points; ++t)
      ASSERT_NEAR(values[t], median[t] + units[lead] * residual[t], 1e-4) << k << " " << t;
    double error = 0;
    for (std::int64_t t = 0; t < points; ++t)
      error += std::pow((values[t] - report.decoded[k * points + t]) / units[lead], 2) / static_cast<double>(points);
    EXPECT_NEAR(error / result.scored.rows.reconstruction_error[lead * beats + row], 1, 1e-3) << k;
  }
}

TYPED_TEST(ReportDataOfLeads, WhatIsGoodInNoLeadIsKept) {
  RunResult result = this->result_of_three_leads();
  EXPECT_TRUE(result.report.poor.empty()) << "two leads are good throughout";
  EXPECT_TRUE(std::ranges::any_of(result.beats.lead_quality[2].blocks, [](Quality q) { return q == Quality::flat; }));
}

TYPED_TEST(ReportDataOfLeads, ArraysHaveADimensionOfLeads) {
  const RunResult result = this->result_of_three_leads();
  const TemporaryFolder folder;
  OutputFolder output(folder.path() / "o", false);
  write_report_data(output, result.report, result.beats.row_points);
  output.commit();
  const auto shape = [&](const char* name) {
    return read_npy<float>(folder.path() / "o/report" / (std::string(name) + ".npy")).shape;
  };
  const auto beats = std::ssize(result.report.beats), cut = std::ssize(result.beats.leads);
  using Shape = std::vector<std::int64_t>;
  EXPECT_EQ(shape("envelope"), (Shape{kSamples, 1}));
  EXPECT_EQ(shape("other_envelopes"), (Shape{2, kSamples, 1}));
  EXPECT_EQ(shape("strips"), (Shape{3, beats, result.report.strip_samples}));
  EXPECT_EQ(shape("rows"), (Shape{beats, result.beats.row_points}));
  EXPECT_EQ(shape("reference"), (Shape{cut, 2, result.beats.row_points}));
  EXPECT_EQ(read_npy<std::int64_t>(folder.path() / "o/report/row_leads.npy").values, result.report.row_leads);
  EXPECT_EQ(read_npy<std::int64_t>(folder.path() / "o/report/poor.npy").shape, (Shape{0, 3}));
  const Json json = report_json(result.report);
  EXPECT_EQ(json["reference_leads"], Json(result.beats.leads));
  EXPECT_EQ(json["other_bin_samples"], 1);
}

}  // namespace
}  // namespace beatscan
