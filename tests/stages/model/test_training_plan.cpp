// Tests how many epochs a training has, and how many beats a step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "stages/model/vae.h"

namespace beatscan {
namespace {

TEST(TrainingPlan, OfBatchesByHand) {
  const auto batch = [](const VaeOptions& options, std::int64_t beats) {
    return training_plan(options, beats).batch_beats;
  };
  const VaeOptions options{.batch_beats = 1024, .least_steps = 1000, .epochs = 30};
  EXPECT_EQ(batch(options, 10'000), 300) << "34 steps an epoch";
  EXPECT_EQ(batch(options, 100'000), 1024) << "at most";
  EXPECT_EQ(batch(options, 500), 32) << "and at least";
  EXPECT_EQ(batch(options, 1), 32);
  EXPECT_EQ(batch({.batch_beats = 20, .least_steps = 1000, .epochs = 30}, 500), 20) << "what is asked for is most";
  EXPECT_EQ(batch({.batch_beats = 1024, .least_steps = 0, .epochs = 30}, 10), 1024) << "as the published method";
  EXPECT_EQ(batch({.batch_beats = 1024, .least_steps = 1000, .epochs = 0}, 10), 32);
}

TEST(TrainingPlan, GivesTheStepsAskedForWhereItCan) {
  for (const std::int64_t beats : {33, 1066, 1067, 5000, 34'133, 40'000, 1'000'000'000}) {
    const VaeOptions options{.batch_beats = 1024, .least_steps = 1000, .epochs = 30};
    const auto [epochs, batch, epoch_beats] = training_plan(options, beats);
    EXPECT_EQ(epochs, 30) << "as asked for";
    const std::int64_t steps = epochs * ((beats + batch - 1) / batch);
    EXPECT_TRUE(steps >= 1000 || batch == 32) << beats;
    EXPECT_TRUE(batch == 1024 || batch == 32 || epochs * (beats / (batch + 1)) < 1000 + 30) << beats;
  }
}

TEST(TrainingPlan, ChoosesMoreEpochsForFewBeats) {
  for (const std::int64_t beats : {1, 40, 160, 161, 1000, 1130, 1300, 100'000}) {
    const VaeOptions options{.batch_beats = 1024, .least_steps = 600, .most_steps = 0};
    const auto [epochs, batch, epoch_beats] = training_plan(options, beats);
    const std::int64_t steps_an_epoch = (beats + batch - 1) / batch, steps = epochs * steps_an_epoch;
    EXPECT_TRUE(steps >= 600 || epochs == kMostEpochs) << beats;
    EXPECT_TRUE(epochs == kUsualEpochs || steps < 600 + steps_an_epoch) << beats << ": no more than needed";
  }
  EXPECT_EQ(training_plan({.least_steps = 600, .most_steps = 0}, 100'000).epochs, kUsualEpochs);
  EXPECT_EQ(training_plan({.batch_beats = 16, .least_steps = 600, .most_steps = 0}, 320).epochs, 30)
      << "20 steps an epoch";
  EXPECT_EQ(training_plan({.least_steps = 0}, 10).epochs, kUsualEpochs);
}

TEST(TrainingPlan, ChoosesFewerEpochsForManyBeats) {
  const auto epochs = [](std::int64_t beats, int most_steps) {
    return training_plan({.batch_beats = 1024, .least_steps = 500, .most_steps = most_steps}, beats).epochs;
  };
  EXPECT_EQ(epochs(142 * 1024, 2000), kUsualEpochs) << "1,988 steps";
  EXPECT_EQ(epochs(142 * 1024 + 1, 2000), 13) << "143 steps an epoch, 1,859 in all";
  EXPECT_EQ(epochs(900'000, 2000), 2) << "879 steps an epoch";
  EXPECT_EQ(epochs(100'000'000, 2000), 1) << "at least one";
  EXPECT_EQ(epochs(100'000'000, 0), kUsualEpochs) << "no limit";
  EXPECT_EQ(training_plan({.batch_beats = 1024, .most_steps = 2000, .epochs = 30}, 900'000).epochs, 30)
      << "as asked for";
  EXPECT_EQ(training_plan({.batch_beats = 32, .most_steps = 2000}, 75'000).epochs, 1) << "small batches";
}

TEST(TrainingPlan, TakesAPartOfManyBeatsForAnEpoch) {
  const auto epoch = [](const VaeOptions& options, std::int64_t beats) {
    return training_plan(options, beats).epoch_beats;
  };
  const VaeOptions options{.batch_beats = 64, .least_steps = 500, .most_steps = 500};
  EXPECT_EQ(epoch(options, 31'999), 31'999);
  EXPECT_EQ(epoch(options, 78'000), 32'000) << "500 batches";
  EXPECT_EQ(epoch({.batch_beats = 64, .most_steps = 500, .epochs = 3}, 78'000), 78'000) << "as asked for";
  EXPECT_EQ(epoch({.batch_beats = 64, .most_steps = 0}, 78'000), 78'000) << "no limit";
}

// Rounding of the batches may add a step an epoch, and 5 %.
TEST(TrainingPlan, HasNoMoreStepsThanTheMost) {
  for (const int most : {1, 10, 500, 2000})
    for (const int least : {0, 500, 10'000})
      for (const std::int64_t beats : {0, 1, 32, 1500, 30'000, 51'201, 900'000}) {
        const VaeOptions options{.batch_beats = 1024, .least_steps = least, .most_steps = most};
        const auto [epochs, batch, epoch_beats] = training_plan(options, beats);
        const std::int64_t steps = epochs * std::max<std::int64_t>((epoch_beats + batch - 1) / batch, 1);
        EXPECT_LE(steps, most + most / 20 + epochs) << most << ' ' << least << ' ' << beats;
        EXPECT_GE(epochs, 1);
        EXPECT_LE(batch, 1024);
      }
}

}  // namespace
}  // namespace beatscan
