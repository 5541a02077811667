#include "kernels/quality/fibrillation.h"

#include <algorithm>
#include <vector>

#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan::quality {
namespace {

// Trees of one question: is the range of the block before, of the block, of the block behind above 0?
ForestModel ranges_around() {
  return {1, 1, {kRange, kFeatures + kRange, 2 * kFeatures + kRange}, {0, 0, 0}, {0, 1, 0, 10, 0, 100}};
}

template <class Context>
class FibrillationScores : public OnBackend<Context> {
 protected:
  std::vector<FibrillationScore> of(const std::vector<float>& ranges, const ForestModel& model = ranges_around()) {
    std::vector<float> features(ranges.size() * kFeatures, 7);
    for (std::size_t b = 0; b < ranges.size(); ++b) {
      features[b * kFeatures + kRange] = ranges[b];
      features[b * kFeatures + kLeakage] = static_cast<float>(b);
      features[b * kFeatures + kHz] = static_cast<float>(2 * b);
    }
    auto& context = this->context();
    Buffer<FibrillationScore, Context> scores(context, std::ssize(ranges));
    score_fibrillation(context, load_forest(context, model), from_host(context, features), scores);
    return to_host(context, scores);
  }
};
TYPED_TEST_SUITE(FibrillationScores, Backends, BackendNames);

TYPED_TEST(FibrillationScores, SeeTheNeighboursOfABlock) {
  const auto scores = this->of({-1, 1, -1, 1});
  const std::vector<float> expected{100, 10, 101, 110};  // the last block is its own neighbour
  for (std::size_t b = 0; b < expected.size(); ++b) {
    EXPECT_EQ(scores[b].score, expected[b]) << b;
    EXPECT_EQ(scores[b].leakage, static_cast<float>(b));
    EXPECT_EQ(scores[b].hz, static_cast<float>(2 * b));
  }
  EXPECT_EQ(this->of({1})[0].score, 111);
  EXPECT_TRUE(this->of({}).empty());
}

TYPED_TEST(FibrillationScores, AreThoseOfEachBlockInAnyNumber) {
  for (const std::size_t blocks : {255U, 256U, 257U, 1500U}) {
    std::vector<float> ranges(blocks);
    for (std::size_t b = 0; b < blocks; ++b) ranges[b] = b * b % 7 < 3 ? 1.0F : -1.0F;
    const auto scores = this->of(ranges);
    const auto at = [&](std::int64_t b) {
      return ranges[static_cast<std::size_t>(std::clamp<std::int64_t>(b, 0, std::ssize(ranges) - 1))] > 0;
    };
    for (std::int64_t b = 0; b < std::ssize(scores); ++b)
      EXPECT_EQ(scores[static_cast<std::size_t>(b)].score,
                static_cast<float>(at(b - 1) + 10 * at(b) + 100 * at(b + 1)));
  }
}

TYPED_TEST(FibrillationScores, RefuseABadShape) {
  auto three = ranges_around();
  three.classes = 3;
  expect_error(ErrorKind::internal, "bad shape", [&] { this->of({1}, three); });
}

}  // namespace
}  // namespace beatscan::quality
