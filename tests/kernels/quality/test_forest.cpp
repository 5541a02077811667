#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/quality/acceptability.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan::quality {
namespace {

constexpr int kWidth = 5;

ForestModel random_forest(int depth, int classes, int trees, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  ForestModel model{.depth = depth, .classes = classes, .feature = {}, .threshold = {}, .value = {}};
  for (int i = 0; i < trees * model.nodes(); ++i) {
    model.feature.push_back(static_cast<std::int32_t>(random() % kWidth));
    model.threshold.push_back(static_cast<float>(static_cast<int>(random() % 7) - 3) / 2);
  }
  for (int i = 0; i < trees << depth; ++i) model.value.push_back(static_cast<float>(random() % 100) / 100 - 0.5F);
  return model;
}

// The definition, in double.
std::vector<double> expected_scores(const ForestModel& model, const float* row) {
  std::vector<double> scores(model.classes);
  for (int t = 0; t < model.trees(); ++t) {
    int node = 0;
    while (node < model.nodes()) {
      const int at = t * model.nodes() + node;
      node = 2 * node + (row[model.feature[at]] <= model.threshold[at] ? 1 : 2);
    }
    scores[t % model.classes] += model.value[t * (model.nodes() + 1) + node - model.nodes()];
  }
  return scores;
}

template <class Context>
class QualityForest : public OnBackend<Context> {
 protected:
  std::vector<float> run(const ForestModel& model, const Calibration& calibration, const std::vector<float>& rows) {
    auto& context = this->context();
    Buffer<float, Context> found(context, std::ssize(rows) / kWidth * kClasses);
    block_probabilities(context, load_forest(context, model), calibration, kWidth, from_host(context, rows), found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(QualityForest, Backends, BackendNames);

// Features have the values of thresholds, too.
TYPED_TEST(QualityForest, MatchesItsDefinition) {
  for (const int depth : {1, 2, 3, 6})
    for (const std::int64_t rows : {1, 63, 64, 65, 1000}) {
      SCOPED_TRACE(testing::Message() << "depth " << depth << ", rows " << rows);
      const ForestModel model = random_forest(depth, kClasses, 12, depth);
      const auto x = random_signal(rows * kWidth, rows);
      const auto found = this->run(model, {1.2, 0.7}, x);
      for (std::int64_t i = 0; i < rows; ++i) {
        const auto scores = expected_scores(model, x.data() + i * kWidth);
        const double odds = scores[0] - std::log(std::exp(scores[1]) + std::exp(scores[2]));
        const double good = 1 / (1 + std::exp(-(1.2 * odds + 0.7)));
        const double noise = (1 - good) / (1 + std::exp(scores[2] - scores[1]));
        EXPECT_NEAR(found[i * kClasses + kGood], good, 1e-6);
        EXPECT_NEAR(found[i * kClasses + kNoise], noise, 1e-6);
        EXPECT_NEAR(found[i * kClasses + kLost], 1 - good - noise, 1e-6);
      }
    }
}

TYPED_TEST(QualityForest, LimitsLogOdds) {
  const ForestModel model{1, 3, {0, 0, 0}, {0, 0, 0}, {-100, 100, 0, 0, 0, 0}};
  const auto found = this->run(model, {1, 0}, {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0});
  EXPECT_NEAR(found[kGood], 1 / (1 + std::exp(16.0)), 1e-12);
  EXPECT_FLOAT_EQ(found[kNoise], found[kLost]);
  EXPECT_NEAR(1 - found[kClasses + kGood], 1 / (1 + std::exp(16.0)), 1e-7);
}

TYPED_TEST(QualityForest, RefusesABadShape) {
  expect_error(ErrorKind::internal, "bad shape", [&] { this->run(random_forest(2, 1, 4, 1), {}, {0, 0, 0, 0, 0}); });
  EXPECT_TRUE(this->run(random_forest(2, 3, 6, 1), {}, {}).empty());
}

template <class Context>
class QualityWindows : public OnBackend<Context> {};
TYPED_TEST_SUITE(QualityWindows, Backends, BackendNames);

// Three leads and six blocks, which are one window: P(good) of a lead is 1, 0.8 and 0.1.
TYPED_TEST(QualityWindows, OrderLeadsByQuality) {
  constexpr int kLeads = 3, kBlocks = 6;
  auto& context = this->context();
  std::vector<float> probabilities;
  Buffer<LeadWindow, TypeParam> windows(context, kLeads);
  for (int l = 0; l < kLeads; ++l) {
    const float good = l == 0 ? 1 : l == 1 ? 0.8F : 0.1F;
    std::vector<float> p, features(kBlocks * kFeatures);
    for (int b = 0; b < kBlocks; ++b) {
      p.insert(p.end(), {good, (1 - good) / 2, (1 - good) / 2});
      features[b * kFeatures + kHeightMv] = static_cast<float>(b + l);
      features[b * kFeatures + kSlope] = static_cast<float>(b);
    }
    lead_windows(context, from_host(context, features), from_host(context, p), windows.span().subspan(l, 1));
    probabilities.insert(probabilities.end(), p.begin(), p.end());
  }
  const auto of_leads = to_host(context, windows);
  EXPECT_NEAR(of_leads[1].bad, 0.2, 1e-6);
  EXPECT_FLOAT_EQ(of_leads[2].height, 4.5F);
  EXPECT_FLOAT_EQ(of_leads[0].slope, 5);
  const auto at = [](const char* name) {
    return static_cast<std::int32_t>(std::ranges::find(kWindowFeatures, std::string_view(name)) -
                                     kWindowFeatures.begin());
  };
  // Each tree asks whether a feature is at most a number, and answers 0 or a power of ten.
  struct Question {
    const char* name;
    float below, above;
  };
  const std::vector<Question> questions = {
      {"bad_1", 0.89F, 0.91F},        {"bad_2", 0.19F, 0.21F},       {"bad_4", -0.01F, 0.01F},
      {"bad_median", 0.19F, 0.21F},   {"bad_mean", 0.36F, 0.37F},    {"bad_share", 0.33F, 0.34F},
      {"lost_2", 0.09F, 0.11F},       {"worst_block", 0.36F, 0.37F}, {"height_most", 1.2F, 1.3F},
      {"height_least", 0.71F, 0.72F}, {"slope_1", 4.9F, 5.1F},       {"template_low_2", -0.1F, 0.1F}};
  for (const auto& [name, below, above] : questions)
    for (const float threshold : {below, above}) {
      const ForestModel model{1, 1, {at(name)}, {threshold}, {-1, 1}};
      Buffer<float, TypeParam> found(context, 1);
      window_acceptability(context, load_forest(context, model), from_host(context, probabilities), windows, kLeads,
                           found);
      const double expected = 1 / (1 + std::exp(threshold == below ? -1.0 : 1.0));
      EXPECT_NEAR(to_host(context, found).front(), expected, 1e-6) << name << " " << threshold;
    }
}

TEST(QualityWindowCount, GivesTheRestToTheLastWindow) {
  EXPECT_EQ(window_count(1), 1);
  EXPECT_EQ(window_count(9), 1);
  EXPECT_EQ(window_count(10), 2);
  EXPECT_EQ(window_count(14), 2);
}

}  // namespace
}  // namespace beatscan::quality
