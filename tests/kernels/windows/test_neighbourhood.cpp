#include "kernels/windows/log_scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

using Floats = std::vector<float>;
using Rows = std::vector<std::int32_t>;

template <class Context>
class Neighbourhood : public OnBackend<Context> {
 protected:
  Floats around(const Floats& latents, int latent_count, const Rows& usual, int count) {
    auto& context = this->context();
    auto found = from_host(context, Floats(latents.size(), NAN));  // everything has to be written
    neighbourhood_medians(context, from_host(context, latents), latent_count, from_host(context, usual), count, found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(Neighbourhood, Backends, BackendNames);

Rows every(std::int64_t rows) {
  Rows all(rows);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TYPED_TEST(Neighbourhood, OfDominantRowsByHand) {
  const Floats latents = {0, 10, 20, 40, 80};
  EXPECT_EQ(this->around(latents, 1, every(5), 2), (Floats{15, 10, 25, 50, 30})) << "1 2, 0 2, 1 3, 2 4, 2 3";
  EXPECT_EQ(this->around(latents, 1, every(5), 4), (Floats{30, 30, 25, 15, 15})) << "all others";
  EXPECT_EQ(this->around(latents, 1, every(5), 64), (Floats{30, 30, 25, 15, 15}));
}

TYPED_TEST(Neighbourhood, OfOtherRowsByHand) {
  const Floats latents = {0, 10, 20, 40, 80, 160};
  // Rows 0 and 5 have their nearest rows on one side, and row 2 one on either side.
  EXPECT_EQ(this->around(latents, 1, {1, 3, 4}, 2), (Floats{25, 60, 25, 45, 25, 60}));
  EXPECT_EQ(this->around(latents, 1, {0, 1, 2, 4}, 2)[3], 50) << "2 and 4";
  EXPECT_EQ(this->around(latents, 1, {0, 1, 2, 3}, 2)[5], 30) << "2 and 3 are nearer than 1 and 2";
}

TYPED_TEST(Neighbourhood, IsLatentByLatent) {
  EXPECT_EQ(this->around({0, 9, 1, 5, 3, 7}, 2, every(3), 2), (Floats{2, 6, 1.5f, 8, 0.5f, 7}));
}

TYPED_TEST(Neighbourhood, OfNothing) {
  EXPECT_EQ(this->around({}, 2, {}, 5), Floats{});
  EXPECT_EQ(this->around({3, 4}, 1, {}, 5), (Floats{0, 0}));
  EXPECT_EQ(this->around({3, 4}, 1, {1}, 5), (Floats{4, 0})) << "a row is not its own neighbour";
}

// Takes the dominant rows without the row itself, and of these `count` rows from count / 2 before its place on. At the
// ends of the list it takes as many from further inwards.
float expected(const Floats& latents, int latent_count, const Rows& usual, int count, std::int64_t row, int z) {
  std::vector<double> others;
  std::int64_t before = 0;
  for (const auto other : usual) {
    if (other == row) continue;
    others.push_back(latents[other * latent_count + z]);
    before += other < row;
  }
  if (others.empty()) return 0;
  const std::int64_t first =
      std::clamp<std::int64_t>(before - count / 2, 0, std::max<std::int64_t>(std::ssize(others) - count, 0));
  std::vector<double> chosen(others.begin() + first,
                             others.begin() + std::min<std::int64_t>(first + count, std::ssize(others)));
  std::ranges::sort(chosen);
  return static_cast<float>((chosen[(chosen.size() - 1) / 2] + chosen[chosen.size() / 2]) / 2);
}

// A CPU thread takes 4,096 values, a Cuda block 256. Latents are multiples of a half, so that medians are exact and
// there are ties.
TYPED_TEST(Neighbourhood, MatchesItsDefinition) {
  for (const std::int64_t rows : {1, 2, 3, 40, 8191, 8192, 8193})
    for (const unsigned sixteenths : {1u, 8u, 15u, 16u})
      for (const int count : {1, 2, 3, 16}) {
        if (left_out()) continue;
        const auto seed = static_cast<unsigned>(rows * 16 + sixteenths);
        SCOPED_TRACE(testing::Message() << "rows=" << rows << " seed=" << seed << " count=" << count);
        std::mt19937 random(seed);
        Floats latents(2 * rows);
        for (float& value : latents) value = static_cast<float>(random() % 9) / 2;
        Rows usual;
        for (const auto row : every(rows))
          if (random() % 16 < sixteenths) usual.push_back(row);
        const auto found = this->around(latents, 2, usual, count);
        const std::int64_t step = rows > 100 ? 37 : 1;  // to list the other rows for each row takes long
        for (std::int64_t i = 0; i < 2 * rows; i += step)
          ASSERT_EQ(found[i], expected(latents, 2, usual, count, i / 2, static_cast<int>(i % 2))) << i;
      }
}

TYPED_TEST(Neighbourhood, AnOutlierDoesNotMoveIt) {
  Floats latents(100, 1.0f);
  latents[50] = 1000;
  EXPECT_EQ(this->around(latents, 1, every(100), 16), Floats(100, 1.0f));
}

TYPED_TEST(Neighbourhood, RefusesBadShapes) {
  EXPECT_THROW_KIND(this->around({1, 2, 3}, 2, {0}, 2), ErrorKind::internal);
  EXPECT_THROW_KIND(this->around({1, 2}, 0, {0}, 2), ErrorKind::internal);
  EXPECT_THROW_KIND(this->around({1, 2}, 2, {0}, 0), ErrorKind::internal);
  EXPECT_THROW_KIND(this->around({1, 2}, 2, {0}, kMostNeighbours + 1), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
