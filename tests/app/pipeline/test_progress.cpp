#include "app/pipeline/progress.h"

#include <gtest/gtest.h>

namespace beatscan {
namespace {

TEST(IngestFigures, HaveRateAndTimeLeft) {
  EXPECT_EQ(ingest_figures(100'000'000, 500'000'000, 0.5), "100 MB of 500 MB, 200 MB/s, 2 s left");
  EXPECT_EQ(ingest_figures(1'000'000, 3'000'000'000, 0.1), "1 MB of 3 GB, 10 MB/s, 5 min left");
  EXPECT_EQ(ingest_figures(0, 500'000'000, 0.5), "0 kB of 500 MB, 0 MB/s") << "no estimate yet";
  EXPECT_EQ(ingest_figures(500'000, 500'000, 0), "500 kB of 500 kB, 500000 MB/s") << "done, in no time";
  EXPECT_EQ(ingest_figures(0, 0, 1), "0 kB of 0 kB, 0 MB/s");
}

TEST(TrainingFigures, HaveLossAndTimeLeft) {
  EXPECT_EQ(training_figures(3, 30, 0.51234, 2), "epoch 3 of 30, loss 0.51234, 18 s left");
  EXPECT_EQ(training_figures(1, 1000, 12, 7.3), "epoch 1 of 1000, loss 12.00000, 2 h 2 min left");
  EXPECT_EQ(training_figures(30, 30, 0.25, 20), "epoch 30 of 30, loss 0.25000");
  EXPECT_EQ(training_figures(20, 30, 0.25, 5, 10), "epoch 20 of 30, loss 0.25000, 5 s left") << "ten by an earlier run";
}

}  // namespace
}  // namespace beatscan
