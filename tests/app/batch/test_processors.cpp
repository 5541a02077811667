#include "app/batch/devices.h"

#include <gtest/gtest.h>

#include <list>
#include <stdexcept>

namespace beatscan {
namespace {

class ProcessorsOfABatch : public testing::Test {
 protected:
  static void SetUpTestSuite() { set_host_threads(16); }
  static void TearDownTestSuite() { set_host_threads(0); }
};

TEST_F(ProcessorsOfABatch, AreSharedOutAnewWhenARecordingBeginsOrEnds) {
  Processors processors;
  EXPECT_EQ(processors.share(), 16) << "none is analysed yet";
  std::list<Processors::Use> uses;
  for (const int share : {16, 8, 5, 4}) {
    uses.emplace_back(processors);
    EXPECT_EQ(processors.share(), share) << uses.size() << " recordings";
  }
  while (uses.size() < 24) uses.emplace_back(processors);
  EXPECT_EQ(processors.share(), 1) << "more recordings than processors";
  while (uses.size() > 3) uses.pop_front();
  EXPECT_EQ(processors.share(), 5) << "few are left";
  uses.clear();
  EXPECT_EQ(processors.share(), 16);
}

TEST_F(ProcessorsOfABatch, AreFreeAgainAfterAnError) {
  Processors processors;
  const Processors::Use other(processors);
  EXPECT_THROW(
      {
        const Processors::Use use(processors);
        throw std::runtime_error("stopped by a signal");
      },
      std::runtime_error);
  EXPECT_EQ(processors.share(), 16);
}

}  // namespace
}  // namespace beatscan
