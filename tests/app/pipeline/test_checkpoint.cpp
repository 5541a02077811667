#include "app/pipeline/checkpoint.h"

#include <gtest/gtest.h>

#include "app/output/model_file.h"
#include "stages/common/interrupt.h"
#include "tests/support/expect_error.h"
#include "tests/support/result_files.h"

namespace beatscan {
namespace {

class Checkpoint : public testing::Test {
 protected:
  // Returns a state of the smallest topology, with values that text would not preserve.
  static TrainingState state() {
    TrainingState state{.loss_per_epoch = {1.0 / 3, 0.1}, .steps = 14};
    float value = 1e-41f;  // denormal
    for (auto* arrays : {&state.parameters, &state.mean, &state.square})
      for (const auto& [name, shape] :
           std::vector<std::pair<std::string, std::vector<std::int64_t>>>{{"conv0.weight", {2, 1, 3}},
                                                                          {"conv0.bias", {2}},
                                                                          {"convA.weight", {1, 2, 3}},
                                                                          {"convA.bias", {1}},
                                                                          {"convB.weight", {1, 2, 3}},
                                                                          {"convB.bias", {1}},
                                                                          {"restore.weight", {128, 1}},
                                                                          {"restore.bias", {128}},
                                                                          {"conv1.weight", {1, 1, 3}},
                                                                          {"conv1.bias", {1}},
                                                                          {"sigma.alpha", {1}}}) {
        std::int64_t size = 1;
        for (const auto length : shape) size *= length;
        NamedArray array{name, shape, {}};
        for (std::int64_t i = 0; i < size; ++i) array.values.push_back(value = -value * 1.0625f);
        arrays->push_back(array);
      }
    return state;
  }
  static Config config() {
    Config config;
    config.vae.channels = {2};
    config.vae.latents = 1;
    return config;
  }
  static TrainingIdentity identity(const Config& config = Checkpoint::config()) {
    return {training_identity(config, "", "").config, "5eed", "0.1 with LibTorch 2", "cpu"};
  }
  void write() const { write_checkpoint(path_, state(), identity()); }
  void expect_refused(ErrorKind status, const std::string& part, const TrainingIdentity& other) const {
    expect_error(status, part, [&] { read_checkpoint(path_, other, config()); });
  }

  TemporaryFolder folder_;
  const std::filesystem::path path_ = checkpoint_path(folder_.path() / "o");
};

TEST_F(Checkpoint, LiesHiddenBesideTheResult) {
  EXPECT_EQ(checkpoint_path("a/o"), "a/.o.checkpoint.safetensors");
  EXPECT_EQ(checkpoint_path("a/o/"), "a/.o.checkpoint.safetensors");
  EXPECT_EQ(checkpoint_path("o"), "./.o.checkpoint.safetensors");
}

TEST_F(Checkpoint, ComesBackToTheLastBit) {
  write();
  EXPECT_EQ(names_in(folder_.path()), std::set<std::string>{path_.filename().string()});
  const TrainingState written = state(), read = read_checkpoint(path_, identity(), config());
  EXPECT_EQ(read.loss_per_epoch, written.loss_per_epoch);
  EXPECT_EQ(read.steps, written.steps);
  for (const auto arrays : {&TrainingState::parameters, &TrainingState::mean, &TrainingState::square}) {
    ASSERT_EQ((read.*arrays).size(), (written.*arrays).size());
    for (std::size_t i = 0; i < (read.*arrays).size(); ++i) {
      EXPECT_EQ((read.*arrays)[i].name, (written.*arrays)[i].name);
      EXPECT_EQ((read.*arrays)[i].shape, (written.*arrays)[i].shape);
      EXPECT_EQ((read.*arrays)[i].values, (written.*arrays)[i].values);
    }
  }
}

TEST_F(Checkpoint, OfAnotherTrainingIsRefused) {
  write();
  Config other = config();
  other.vae.epochs = 7;
  expect_refused(ErrorKind::usage, "vae.epochs is null there and 7 here", identity(other));
  other = config();
  other.seed = 2;
  expect_refused(ErrorKind::usage, "seed is 1 there and 2 here", identity(other));
  auto changed = identity();
  changed.input_sha256 = "beef";
  expect_refused(ErrorKind::input, "is of another input (5eed, and here beef)", changed);
  changed = identity();
  changed.versions = "0.2 with LibTorch 2";
  expect_refused(ErrorKind::input, "another version", changed);
  changed = identity();
  changed.device = "NVIDIA H200";
  expect_refused(ErrorKind::input, "another device", changed);
}

TEST_F(Checkpoint, WhereToWorkIsNoPartOfTheConfiguration) {
  write();
  Config other = config();
  other.device = DeviceChoice::cpu;
  EXPECT_NO_THROW(read_checkpoint(path_, identity(other), other));
}

// Truncates the file at every hundredth byte, and changes every hundredth byte.
TEST_F(Checkpoint, DamageIsFound) {
  write();
  const std::string bytes = contents_of(path_);
  for (std::size_t i = 0; i < bytes.size(); i += i < 8 ? 1 : 97) {
    SCOPED_TRACE(testing::Message() << "byte " << i);
    folder_.write(path_.filename().string(), bytes.substr(0, i));
    expect_refused(ErrorKind::input, "is not a complete checkpoint; remove this file to start over", identity());
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    folder_.write(path_.filename().string(), changed);
    expect_refused(ErrorKind::input, "is not a complete checkpoint; remove this file to start over", identity());
  }
}

TEST_F(Checkpoint, AModelIsNone) {
  folder_.write(path_.filename().string(), model_safetensors({config(), state().parameters}));
  expect_refused(ErrorKind::input, "is not a complete checkpoint", identity());
}

TEST_F(Checkpoint, AFullDiskDoesNotEndTheTraining) {
  Log log(1, LogFormat::text);
  const Config options = config();
  catch_signals();
  Checkpoints checkpoints(
      folder_.path() / "missing/.o.checkpoint.safetensors", options, [] { return identity(); }, checkpoint_requests(),
      log);
  raise(SIGUSR1);
  int reports = 0;
  const auto report = checkpoints.reporting([&](const EpochEnd&) { ++reports; });
  testing::internal::CaptureStderr();
  report({0, 2, 0.5, [] { return state(); }});
  EXPECT_EQ(reports, 1);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("warning: no checkpoint: "), std::string::npos);
}

}  // namespace
}  // namespace beatscan
