#include "kernels/templates/shape_distances.h"

#include <cmath>

#include "kernels/runtime/buffer.h"
#include "kernels/templates/shape_rows.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Counts = std::vector<std::int64_t>;

struct Sums {
  Counts sums, counts;
};

template <class Context>
class ShapeSums : public OnBackend<Context> {
 protected:
  template <class T>
  Sums sums(const std::vector<T>& rows, const Bytes& groups, std::int64_t width, std::int64_t count) {
    auto& context = this->context();
    Buffer<std::int64_t, Context> sums(context, count * width), counts(context, count);
    const auto values = from_host(context, rows);
    const auto of = from_host(context, groups);
    group_sums<T>(context, values, of, sums, counts);
    return {to_host(context, sums), to_host(context, counts)};
  }
  Bytes near(const Bytes& nearest, const std::vector<float>& distances, const Bytes& counting, float within) {
    auto& context = this->context();
    Buffer<std::uint8_t, Context> groups(context, std::ssize(counting));
    near_groups(context, from_host(context, nearest), from_host(context, distances), from_host(context, counting),
                within, groups);
    return to_host(context, groups);
  }
};
TYPED_TEST_SUITE(ShapeSums, Backends, BackendNames);

TYPED_TEST(ShapeSums, ByHand) {
  const auto found = this->template sums<std::int16_t>({1, 2, 3, 4, 5, 6, 7, 8}, {1, kNoGroup, 1, 0}, 2, 2);
  EXPECT_EQ(found.sums, (Counts{7, 8, 6, 8}));
  EXPECT_EQ(found.counts, (Counts{1, 2}));
  const auto floats = this->template sums<float>({0.5f, -1e30f, 0.25f, 1e-9f}, {0, 0}, 2, 1);
  EXPECT_EQ(floats.sums, (Counts{3 * 65536 / 4, -(std::int64_t{1} << 40)}));
}

TYPED_TEST(ShapeSums, MatchTheirDefinition) {
  for (const std::int64_t beats : {1, 127, 128, 129, 1023, 1025, 5000})
    for (const std::int64_t width : {64, 100, 256}) {
      SCOPED_TRACE(shape_and_seed("beats", beats, beats) + " width=" + std::to_string(width));
      const auto floats = random_signal(beats * width, beats, 4001);
      const std::vector<std::int16_t> shorts(floats.begin(), floats.end());
      Bytes groups(beats);
      std::mt19937_64 random(beats);
      for (auto& group : groups) group = random() % 10 ? static_cast<std::uint8_t>(random() % kMostGroups) : kNoGroup;
      Counts of_shorts(kMostGroups * width), of_floats(kMostGroups * width), counts(kMostGroups);
      for (std::int64_t b = 0; b < beats; ++b) {
        if (groups[b] == kNoGroup) continue;
        ++counts[groups[b]];
        for (std::int64_t j = 0; j < width; ++j) {
          of_shorts[groups[b] * width + j] += shorts[b * width + j];
          of_floats[groups[b] * width + j] += std::llrint(65536.0 * floats[b * width + j]);
        }
      }
      const auto found = this->sums(shorts, groups, width, kMostGroups);
      EXPECT_EQ(found.sums, of_shorts);
      EXPECT_EQ(found.counts, counts);
      EXPECT_EQ(this->sums(floats, groups, width, kMostGroups).sums, of_floats);
    }
}

// A beat at the radius itself is not near.
TYPED_TEST(ShapeSums, GroupsByHand) {
  EXPECT_EQ(this->near({0, 1, 2, 3}, {0.1f, 0.5f, 0.1f, 0.49f}, {1, 1, 0, 1}, 0.5f), (Bytes{0, kNoGroup, kNoGroup, 3}));
}

TYPED_TEST(ShapeSums, BadShapesThrow) {
  EXPECT_THROW_KIND(this->template sums<float>({1, 2, 3}, {0}, 2, 1), ErrorKind::internal);
  EXPECT_THROW_KIND(this->template sums<float>({}, {}, 2, kMostGroups + 1), ErrorKind::internal);
  EXPECT_THROW_KIND(this->near({0}, {1, 2}, {1}, 1), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
