#include "kernels/waves/local_averages.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/buffer.h"
#include "tests/kernels/waves/waves_reference.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan::waves {
namespace {

using Row = std::vector<float>;

float median_of(Row values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

Row expected_average(const Row& windows, const std::vector<std::int32_t>& labels, std::int64_t i) {
  std::vector<std::int64_t> alike;
  for (std::int64_t j = std::max<std::int64_t>(0, i - 8); j <= std::min(i + 8, std::ssize(labels) - 1); ++j)
    if (labels[i] >= 0 && labels[j] == labels[i]) alike.push_back(j);
  if (alike.size() < 3) alike = {i};
  Row average;
  for (int k = 0; k < kValues; ++k) {
    Row column;
    for (const std::int64_t j : alike) column.push_back(windows[j * kValues + k]);
    average.push_back(median_of(column));
  }
  const float level = median_of(average);
  for (float& value : average) value -= level;
  return average;
}

template <class Context>
class LocalAverages : public OnBackend<Context> {
 protected:
  std::pair<Row, Row> averages(const Row& windows, const std::vector<std::int32_t>& labels, std::int64_t skip,
                               std::int64_t beats) {
    auto& context = this->context();
    Buffer<float, Context> found(context, beats * kValues), heights(context, beats);
    local_averages(context, from_host(context, windows), from_host(context, labels), skip, found, heights);
    return {to_host(context, found), to_host(context, heights)};
  }
};
TYPED_TEST_SUITE(LocalAverages, Backends, BackendNames);

// Order statistics are exact, and so all bits agree.
TYPED_TEST(LocalAverages, MatchTheirDefinition) {
  for (const int distinct : {1, 2, 5, 20}) {
    constexpr std::int64_t kBeats = 150;
    std::mt19937 random(distinct);
    std::vector<std::int32_t> labels;
    for (int b = 0; b < kBeats; ++b) labels.push_back(static_cast<std::int32_t>(random() % distinct) - (b % 31 == 5));
    const Row windows = random_windows(kBeats, 11);
    const auto [found, heights] = this->averages(windows, labels, 0, kBeats);
    for (std::int64_t b = 0; b < kBeats; ++b) {
      const Row expected = expected_average(windows, labels, b);
      float height = 0.001f;
      for (int k = 105; k <= 145; ++k) height = std::max(height, std::abs(expected[k]));
      ASSERT_EQ(Row(found.begin() + b * kValues, found.begin() + (b + 1) * kValues), expected) << b << " " << distinct;
      ASSERT_EQ(heights[b], height) << b;
    }
  }
}

TYPED_TEST(LocalAverages, OfARangeAreThoseOfTheWhole) {
  const Row windows = random_windows(60, 2);
  const std::vector<std::int32_t> labels(60, 4);
  const auto whole = this->averages(windows, labels, 0, 60);
  const Row part(windows.begin() + 12 * kValues, windows.begin() + 48 * kValues);
  const auto of_part = this->averages(part, std::vector<std::int32_t>(36, 4), 8, 20);
  EXPECT_EQ(of_part.first, Row(whole.first.begin() + 20 * kValues, whole.first.begin() + 40 * kValues));
  EXPECT_EQ(of_part.second, Row(whole.second.begin() + 20, whole.second.begin() + 40));
}

TYPED_TEST(LocalAverages, OfALevelLeadHaveTheLeastHeight) {
  const auto [found, heights] = this->averages(Row(5 * kValues), {0, 0, 0, -1, -1}, 0, 5);
  EXPECT_EQ(found, Row(5 * kValues));
  EXPECT_EQ(heights, Row(5, 0.001f));
  EXPECT_TRUE(this->averages({}, {}, 0, 0).first.empty());
}

TYPED_TEST(LocalAverages, RefuseBadShapes) {
  EXPECT_THROW_KIND(this->averages(Row(3 * kValues), {0, 0, 0}, 1, 3), ErrorKind::internal);
  EXPECT_THROW_KIND(this->averages(Row(3 * kValues), {0, 0}, 0, 2), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan::waves
