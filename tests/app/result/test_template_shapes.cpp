// Compares the mean beats of templates with the rows of the same run.
#include "app/result/template_shapes.h"

#include <algorithm>
#include <cmath>

#include "app/run/pipeline.h"
#include "app/synthetic/generate.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

template <class Context>
class TemplateShapesOf : public OnBackend<Context> {
 protected:
  RunResult result_of(std::int64_t samples, const std::vector<std::string>& settings) {
    const auto path = folder_.path() / "ecg.csv";
    generate(Cpu(1), {.samples = samples, .abnormal_share = 0.1}, path, true);
    std::vector<std::string> all = {"ingest.sample_rate_hz=250", "vae.epochs=2"};
    all.insert(all.end(), settings.begin(), settings.end());
    config_ = load_config("", all);
    const RunRequest request{.input = path, .config = config_, .rate = {}, .save_arrays = true};
    Log log(0, LogFormat::text);
    auto opened = open_recording(this->context(), request, open_input(request));
    return analyse(this->context(), std::move(opened), request, log);
  }

  TemporaryFolder folder_;
  Config config_;
};
TYPED_TEST_SUITE(TemplateShapesOf, Backends, BackendNames);

// Returns the beats in good signal of a template, or, where there are none, all of its beats; as rows.
std::vector<std::int64_t> rows_of_template(const RunResult& result, std::int32_t k) {
  std::vector<std::int64_t> good, all;
  for (std::int64_t row = 0; row < std::ssize(result.beats.kept); ++row) {
    const auto beat = result.beats.kept[row];
    if (result.findings->templates[beat] != k) continue;
    all.push_back(row);
    if (result.beats.found.quality[beat] == Quality::good) good.push_back(row);
  }
  return good.empty() ? all : good;
}

// A mean is median beat + unit * mean residual; here it is over all beats of the template, for they are few.
TYPED_TEST(TemplateShapesOf, TemplatesHaveTheirMeanAndTheirBeats) {
  const RunResult result = this->result_of(12'000, {});
  const TemplateShapes& shapes = result.report.templates;
  const std::int64_t count = std::ssize(result.findings->groups), points = result.beats.row_points;
  ASSERT_EQ(std::ssize(shapes.typical), count);
  ASSERT_EQ(std::ssize(shapes.means), count * points);
  const auto& reference = result.report.reference;
  const auto& rows = result.arrays->embeddings;
  double products = 0, squares = 0;
  const auto first = std::ranges::find(result.beats.kept, result.report.beats[0]) - result.beats.kept.begin();
  for (std::int64_t t = 0; t < points; ++t) {
    products += (result.report.rows[t] - reference[t]) * static_cast<double>(rows[first * points + t]);
    squares += std::pow(rows[first * points + t], 2);
  }
  for (std::int32_t k = 0; k < count; ++k) {
    const auto members = rows_of_template(result, k);
    ASSERT_LE(std::ssize(members), kTemplateRows) << "the test needs few";
    EXPECT_EQ(result.findings->templates[shapes.typical[k]], k);
    EXPECT_EQ(result.findings->templates[shapes.oddest[k]], k);
    const auto odd = std::ranges::find(result.beats.kept, shapes.oddest[k]) - result.beats.kept.begin();
    for (const auto row : members)
      EXPECT_LE(result.scored.ranking->waveform[row], result.scored.ranking->waveform[odd]);
    for (std::int64_t t = 0; t < points; ++t) {
      double mean = 0;
      for (const auto row : members) mean += rows[row * points + t] / static_cast<double>(members.size());
      ASSERT_NEAR(shapes.means[k * points + t], reference[t] + products / squares * mean, 1e-5) << k << " " << t;
    }
    EXPECT_GE(shapes.spread[k], 0);
    EXPECT_TRUE(members.size() > 1 || shapes.spread[k] == 0);
  }
}

}  // namespace
}  // namespace beatscan
