// The fused step on the CPU gives the same bits with vectors of every width that this processor has.
#include "kernels/model/vae_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace beatscan::vae {
namespace {

struct Group {
  std::vector<float> parameters, rows, pairs;
  std::vector<const float*> row_at, pair_at;
};

std::vector<float> random_floats(std::mt19937& random, int count) {
  std::normal_distribution<float> normal(0, 0.2f);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

Group random_group(int beats) {
  std::mt19937 random(beats);
  Group group{random_floats(random, kParameters),
              random_floats(random, beats * kPoints),
              random_floats(random, beats * kLatents),
              {},
              {}};
  for (int i = 0; i < beats; ++i) {
    group.row_at.push_back(&group.rows[i * kPoints]);
    group.pair_at.push_back(&group.pairs[i * kLatents]);
  }
  return group;
}

// All results of a group that is summed twice, scored with and without noise, and decoded.
std::vector<float> results(int bits, int beats) {
  const Group group = random_group(beats);
  const float* p = group.parameters.data();
  GroupWorker worker(bits);
  worker.load(group.row_at.data(), beats);
  worker.clear_sums();
  worker.add_gradients(p, group.pair_at.data(), 0.01f);
  worker.add_gradients(p, group.pair_at.data(), 0.5f);
  std::vector<float> all(kSums);
  worker.read_sums(p, all.data());
  for (const float* const* eps : {group.pair_at.data(), static_cast<const float* const*>(nullptr)}) {
    std::vector<float> error(beats), kl(beats), latents(beats * kLatents);
    worker.score(p, eps, error.data(), kl.data(), latents.data());
    for (const auto* part : {&error, &kl, &latents}) all.insert(all.end(), part->begin(), part->end());
  }
  std::vector<float> error(beats);
  worker.decoded_error(p, group.pair_at.data(), error.data());
  all.insert(all.end(), error.begin(), error.end());
  std::vector<float> decoded(beats * kPoints);
  worker.decode(p, group.pair_at.data(), beats, decoded.data());
  all.insert(all.end(), decoded.begin(), decoded.end());
  return all;
}

TEST(VaeGroup, TheWidthOfTheVectorsDoesNotChangeTheBits) {
  if (vector_bits() == 128) GTEST_SKIP() << "this processor has one width";
  for (const int beats : {1, 3, 4, 5, 7, 8, 9, 12, 15, 16}) {
    const auto expected = results(128, beats);
    ASSERT_NE(expected.front(), 0.0f);
    ASSERT_TRUE(std::ranges::all_of(expected, [](float value) { return std::isfinite(value); })) << beats;
    for (int bits = 256; bits <= vector_bits(); bits *= 2)
      EXPECT_EQ(results(bits, beats), expected) << beats << " beats, " << bits << " bits";
  }
}

TEST(VaeGroup, ALoadOfFewerBeatsLeavesNothingOfTheOnesBefore) {
  const Group many = random_group(16), few = random_group(3);
  const auto sums_of_few = [&](GroupWorker& worker) {
    worker.load(few.row_at.data(), 3);
    worker.clear_sums();
    worker.add_gradients(few.parameters.data(), few.pair_at.data(), 0.01f);
    std::vector<float> sums(kSums);
    worker.read_sums(few.parameters.data(), sums.data());
    return sums;
  };
  for (int bits = 128; bits <= vector_bits(); bits *= 2) {
    GroupWorker fresh(bits), used(bits);
    used.load(many.row_at.data(), 16);
    used.add_gradients(many.parameters.data(), many.pair_at.data(), 0.01f);
    EXPECT_EQ(sums_of_few(used), sums_of_few(fresh)) << bits << " bits";
  }
}

}  // namespace
}  // namespace beatscan::vae
