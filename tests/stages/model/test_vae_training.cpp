// Compares training with an independent PyTorch model, tests/reference/vae.py, and tests its properties.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/config/config.h"
#include "stages/io/csv/ingest.h"
#include "stages/io/recording/input_file.h"
#include "stages/methods/as_published.h"
#include "stages/model/vae.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/read_npy.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

const fs::path kReference = fs::path(source_folder()) / "tests/reference/expected";

std::vector<NamedArray> stored_parameters(const std::string& folder) {
  std::vector<NamedArray> parameters;
  for (const auto& entry : fs::directory_iterator(kReference / folder)) {
    const std::string name = entry.path().stem().string();
    if (!name.starts_with("w.")) continue;
    const auto array = read_npy<float>(entry.path());
    parameters.push_back({name.substr(2), array.shape, array.values});
  }
  return parameters;
}

// ||a - b|| / ||b||
double relative_error(const std::vector<float>& a, const std::vector<float>& b) {
  double squares = 0, of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    squares += std::pow(double{a[i]} - b[i], 2);
    of_b += std::pow(double{b[i]}, 2);
  }
  return std::sqrt(squares / of_b);
}

// Trains on the rows of the seed pipeline, with this program's own split, order of batches and noise.
template <class Context>
class Training : public OnBackend<Context> {
 protected:
  Rows<Context> seed_rows() {
    const Config seed = load_config("seed", {});
    auto& context = this->context();
    const auto recording = ingest(context, InputFile(fs::path(source_folder()) / "data/mitdb_205.csv"), seed.ingest);
    const auto beats = find_as_published(context, recording, seed.filter, seed.segment, {});
    return embed_as_published(context, recording, beats, seed.embed, {}).rows;
  }
  // Returns the first rows: LibTorch's autograd takes a minute for all of them on two processors. 180 of them train.
  Rows<Context> few_rows() {
    constexpr std::int64_t kRows = 240;
    const auto all = seed_rows();
    auto values = to_host(this->context(), all.values);
    values.resize(kRows * all.points);
    return {.values = from_host(this->context(), values), .count = kRows, .points = all.points};
  }
  static nlohmann::json reference_curves() {
    std::ifstream file(kReference / "vae_curves.json");
    return nlohmann::json::parse(file)["mitdb_205"];
  }
};
TYPED_TEST_SUITE(Training, Backends, BackendNames);

// The initial weights decide the curve: the reference's own runs from one set of weights, with other splits, orders and
// noise, lie within 1.6 % of each other.
TYPED_TEST(Training, FollowsTheReferenceFromTheSameWeights) {
  const auto rows = this->seed_rows();
  const auto curves = this->reference_curves();
  for (const int run : {0, 3}) {
    if (left_out()) continue;
    const TrainingStart start{7, stored_parameters("vae_initial_" + std::to_string(run))};
    const auto result = train_vae(this->context(), rows, load_config("seed", {}).vae, start);
    const auto expected = std::ranges::find_if(curves["runs"], [&](const auto& entry) { return entry["seed"] == run; });
    ASSERT_NE(expected, curves["runs"].end());
    const std::vector<double> reference = (*expected)["train_loss_per_beat"];
    ASSERT_EQ(result.training.loss_per_epoch.size(), reference.size());
    for (std::size_t epoch = 0; epoch < reference.size(); ++epoch)
      EXPECT_NEAR(result.training.loss_per_epoch[epoch] / reference[epoch], 1, 0.04)
          << "run " << run << ", epoch " << epoch;
  }
}

// With LibTorch's initialisation of the default seed, the curve stays inside the spread of the reference's five runs.
// Only a third of PyTorch's own runs stay inside the spread of five others in every epoch; the default seed is one that
// does.
TYPED_TEST(Training, CurveLiesWithinTheSpreadOverSeeds) {
  const auto result = train_vae(this->context(), this->seed_rows(), load_config("seed", {}).vae, {Config{}.seed, {}});
  const auto spread = this->reference_curves()["spread_of_five"];
  for (std::size_t epoch = 0; epoch < result.training.loss_per_epoch.size(); ++epoch) {
    EXPECT_GE(result.training.loss_per_epoch[epoch], spread["least"][epoch]) << epoch;
    EXPECT_LE(result.training.loss_per_epoch[epoch], spread["largest"][epoch]) << epoch;
  }
}

TYPED_TEST(Training, RepeatsItselfBitForBit) {
  const auto rows = this->seed_rows();
  VaeOptions options;
  options.epochs = 3;
  const auto first = train_vae(this->context(), rows, options, {5, {}}),
             second = train_vae(this->context(), rows, options, {5, {}});
  EXPECT_EQ(first.training.loss_per_epoch, second.training.loss_per_epoch);
  EXPECT_EQ(first.training.generated, second.training.generated);
  EXPECT_EQ(first.training.split, second.training.split);
  const auto latents = [&](const VaeModel& model) {
    return to_host(this->context(), score_rows(this->context(), model, rows).latents);
  };
  EXPECT_EQ(latents(first.model), latents(second.model));
  const auto a = first.model.parameters(), b = second.model.parameters();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].values, b[i].values) << a[i].name;
}

// A training that is stopped after any epoch, and continues from the state then, comes to the same bits.
TYPED_TEST(Training, GoesOnFromAState) {
  const auto rows = this->few_rows();
  for (const auto engine : {VaeEngine::fused, VaeEngine::autograd}) {
    VaeOptions options;
    options.epochs = 3;
    options.batch_beats = 80;  // several steps an epoch
    options.least_steps = 0;
    options.engine = engine;
    std::vector<TrainingState> states;
    const auto whole =
        train_vae(this->context(), rows, options, {5, {}}, [&](const EpochEnd& end) { states.push_back(end.state()); });
    ASSERT_EQ(states.size(), 3u);
    EXPECT_GT(states[0].steps, 1);
    for (const auto& state : states) {
      const auto done = state.loss_per_epoch.size();
      SCOPED_TRACE(testing::Message() << (engine == VaeEngine::fused ? "fused" : "autograd") << " after " << done);
      std::size_t reports = 0;
      const auto rest = train_vae(this->context(), rows, options, {5, {}, state}, [&](const EpochEnd& end) {
        EXPECT_EQ(end.epoch, static_cast<int>(done + reports++));
        const TrainingState now = end.state(), &before = states[end.epoch];
        EXPECT_EQ(now.steps, before.steps);
        for (const auto arrays : {&TrainingState::parameters, &TrainingState::mean, &TrainingState::square})
          for (std::size_t i = 0; i < (before.*arrays).size(); ++i)
            EXPECT_EQ(bits_of((now.*arrays)[i].values), bits_of((before.*arrays)[i].values));
      });
      EXPECT_EQ(reports, 3 - done);
      EXPECT_EQ(rest.training.loss_per_epoch, whole.training.loss_per_epoch);
      EXPECT_EQ(rest.training.test_loss, whole.training.test_loss);
      EXPECT_EQ(rest.training.split, whole.training.split);
      EXPECT_EQ(bits_of(rest.training.generated), bits_of(whole.training.generated));
      const auto a = rest.model.parameters(), b = whole.model.parameters();
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(bits_of(a[i].values), bits_of(b[i].values)) << a[i].name;
    }
    auto foreign = states[1];
    ++foreign.steps;
    EXPECT_THROW_KIND(train_vae(this->context(), rows, options, {5, {}, foreign}), ErrorKind::internal);
    foreign = states[1];
    foreign.mean.pop_back();
    EXPECT_THROW_KIND(train_vae(this->context(), rows, options, {5, {}, foreign}), ErrorKind::internal);
  }
}

// Split, batches and noise are the same, so the curves differ by rounding alone, which grows from step to step.
TYPED_TEST(Training, EnginesAgree) {
  const auto rows = this->few_rows();
  VaeOptions fused, autograd;
  fused.epochs = autograd.epochs = 2;
  fused.engine = VaeEngine::fused;
  autograd.engine = VaeEngine::autograd;
  fused.batch_beats = autograd.batch_beats = 40;  // several steps an epoch, and a smaller last batch
  fused.least_steps = autograd.least_steps = 0;
  const auto a = train_vae(this->context(), rows, fused, {5, {}}),
             b = train_vae(this->context(), rows, autograd, {5, {}});
  for (int epoch = 0; epoch < 2; ++epoch)
    EXPECT_NEAR(a.training.loss_per_epoch[epoch] / b.training.loss_per_epoch[epoch], 1, 1e-3) << epoch;
  EXPECT_NEAR(a.training.test_loss / b.training.test_loss, 1, 1e-3);
  EXPECT_EQ(a.training.split, b.training.split);

  const auto by_autograd = to_host(this->context(), score_rows(this->context(), b.model, rows));
  fused.epochs = 0;
  const auto copied = train_vae(this->context(), rows, fused, {5, b.model.parameters()});
  const auto by_fused = to_host(this->context(), score_rows(this->context(), copied.model, rows));
  const auto close = [](const std::vector<float>& x, const std::vector<float>& y) {
    ASSERT_EQ(x.size(), y.size());
    EXPECT_LT(relative_error(x, y), 1e-4);
  };
  close(by_fused.reconstruction_error, by_autograd.reconstruction_error);
  close(by_fused.kl, by_autograd.kl);
  close(by_fused.latents, by_autograd.latents);
  const auto latents = from_host(this->context(), by_autograd.latents);
  close(to_host(this->context(), decoded_errors(this->context(), b.model, rows, latents.span())),
        by_autograd.reconstruction_error);
  close(to_host(this->context(), decoded_errors(this->context(), copied.model, rows, latents.span())),
        by_autograd.reconstruction_error);
}

TYPED_TEST(Training, DecodedRowsHaveTheErrorsOfTheScores) {
  const auto rows = this->few_rows();
  const auto values = to_host(this->context(), rows.values);
  for (const auto engine : {VaeEngine::fused, VaeEngine::autograd}) {
    VaeOptions options;
    options.epochs = 1;
    options.least_steps = 0;
    options.engine = engine;
    const auto model = train_vae(this->context(), rows, options, {5, {}}).model;
    const auto scores = to_host(this->context(), score_rows(this->context(), model, rows));
    EXPECT_TRUE(decoded_rows(this->context(), model, {}).empty());
    const auto decoded = decoded_rows(this->context(), model, std::span(scores.latents).first(2 * 60));
    ASSERT_EQ(std::ssize(decoded), 60 * 256);
    for (int row = 0; row < 60; ++row) {
      double error = 0;
      for (int t = 0; t < 256; ++t) error += std::pow(decoded[row * 256 + t] - values[row * 256 + t], 2) / 256;
      EXPECT_NEAR(error / scores.reconstruction_error[row], 1, 1e-4) << row;  // float32, summed in another order
    }
    EXPECT_THROW_KIND(decoded_rows(this->context(), model, std::span(scores.latents).first(3)), ErrorKind::internal);
  }
}

TYPED_TEST(Training, FusedEngineRefusesOtherTopologies) {
  VaeOptions options;
  options.engine = VaeEngine::fused;
  options.latents = 3;
  try {
    train_vae(this->context(), this->seed_rows(), options, {5, {}});
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("vae.engine"), std::string::npos) << error.what();
  }
}

// Training uses only training rows, and the test loss only test rows.
TYPED_TEST(Training, TestRowsDoNotTrain) {
  auto rows = this->seed_rows();
  VaeOptions options;
  options.epochs = 2;
  const auto before = train_vae(this->context(), rows, options, {5, {}});
  auto values = to_host(this->context(), rows.values);
  double error = 0;
  std::vector<double> mean(256);
  for (std::int64_t row = 0; row < rows.count; ++row)
    for (int t = 0; t < 256; ++t)
      if (before.training.split[row] == Split::train) mean[t] += values[row * 256 + t];
  const auto trained = static_cast<double>(std::ranges::count(before.training.split, Split::train));
  for (double& value : mean) value /= trained;
  for (std::int64_t row = 0; row < rows.count; ++row)
    for (int t = 0; t < 256; ++t)
      if (before.training.split[row] == Split::test) error += std::pow(values[row * 256 + t] - mean[t], 2) / 256;
  EXPECT_NEAR(before.training.mean_beat_error / (error / (static_cast<double>(rows.count) - trained)), 1, 1e-4);

  for (std::int64_t row = 0; row < rows.count; ++row)
    if (before.training.split[row] == Split::test) std::fill_n(values.begin() + row * 256, 256, 10.0f);
  rows.values = from_host(this->context(), values);
  const auto after = train_vae(this->context(), rows, options, {5, {}});
  EXPECT_EQ(after.training.loss_per_epoch, before.training.loss_per_epoch);
  EXPECT_EQ(after.model.parameters()[0].values, before.model.parameters()[0].values);
  EXPECT_GT(after.training.test_loss, 100 * before.training.test_loss);
}

TYPED_TEST(Training, TakesNoTestRowsAndFewRows) {
  auto rows = this->seed_rows();
  VaeOptions options;
  options.epochs = 1;
  options.train_fraction = 1;
  options.generated_beats = 0;
  const auto all = train_vae(this->context(), rows, options, {5, {}});
  EXPECT_TRUE(std::isnan(all.training.test_loss));
  EXPECT_GT(all.training.mean_beat_error, 0);
  EXPECT_TRUE(all.training.generated.empty());
  options.train_fraction = 0.5;
  rows.count = 2;
  rows.values = from_host(this->context(), [&] {
    auto values = to_host(this->context(), rows.values);
    values.resize(2 * 256);
    return values;
  }());
  const auto two = train_vae(this->context(), rows, options, {5, {}});
  EXPECT_EQ(std::ranges::count(two.training.split, Split::train), 1);
  EXPECT_TRUE(std::isfinite(two.training.test_loss));
}

TYPED_TEST(Training, SplitsThreeQuartersToOne) {
  VaeOptions options;
  options.epochs = 1;
  const auto rows = this->seed_rows();
  const auto result = train_vae(this->context(), rows, options, {5, {}});
  EXPECT_EQ(std::ranges::count(result.training.split, Split::train), rows.count * 3 / 4);
  EXPECT_EQ(std::ssize(result.training.generated), 25 * 256);
}

TYPED_TEST(Training, TakesOtherTopologies) {
  auto rows = this->seed_rows();
  VaeOptions options;
  options.epochs = 1;
  options.channels = {2, 4};
  options.latents = 5;
  const auto result = train_vae(this->context(), rows, options, {5, {}});
  std::int64_t count = 0;
  for (const auto& array : result.model.parameters()) count += std::ssize(array.values);
  EXPECT_EQ(count, check_topology(options, 256));
  options.channels = {3, 6};
  EXPECT_THROW_KIND(train_vae(this->context(), rows, options, {5, {}}), ErrorKind::usage);
}

}  // namespace
}  // namespace beatscan
