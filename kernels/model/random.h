// kernels/model/random.h — counter-based random numbers by Philox4x32-10 (Salmon et al., SC 2011). Value i depends only
// on the key and i, so the order of computing, the number of threads and the back end do not matter.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

struct PhiloxWords {
  std::uint32_t word[4];
};

BEATSCAN_HOST_DEVICE inline std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(a) * b >> 32);
}

BEATSCAN_HOST_DEVICE inline PhiloxWords philox(PhiloxWords counter, std::uint32_t key0, std::uint32_t key1) {
  constexpr std::uint32_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u;
  auto& [c] = counter;
  for (int round = 0; round < 10; ++round) {
    const PhiloxWords next{{multiply_high(kMultiplier1, c[2]) ^ c[1] ^ key0, kMultiplier1 * c[2],
                            multiply_high(kMultiplier0, c[0]) ^ c[3] ^ key1, kMultiplier0 * c[0]}};
    counter = next;
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return counter;
}

// The purpose of a stream of random numbers. Streams of one seed are independent of each other.
enum class RandomStream : std::uint32_t { split, batch_order, latent_noise, test_noise, generated };

struct RandomKey {
  std::uint64_t seed = 0;
  RandomStream stream{};
  std::uint32_t epoch = 0;
};

// Returns the four random words of index i.
BEATSCAN_HOST_DEVICE inline PhiloxWords random_words(RandomKey key, std::int64_t i) {
  const auto index = static_cast<std::uint64_t>(i);
  return philox({{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                  static_cast<std::uint32_t>(key.stream), key.epoch}},
                static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32));
}

// Writes `items` in random order, the same on both back ends. A keyed bijection of 0 .. n - 1 maps each position to its
// item, so nothing is sorted and no position waits for another. A wrong shape throws ErrorKind::internal.
//   items     [n], n < 2^31; if empty, the items are 0 .. n - 1
//   shuffled  [n]
void shuffle(Cpu&, RandomKey key, std::span<const std::int32_t> items, std::span<std::int32_t> shuffled);
void shuffle(Cuda&, RandomKey key, std::span<const std::int32_t> items, std::span<std::int32_t> shuffled);

// Writes standard normal values by Box and Muller's method, two from each index. The back ends may differ in the last
// bits of logarithm and cosine.
void fill_normal(Cpu&, RandomKey key, std::span<float> values);
void fill_normal(Cuda&, RandomKey key, std::span<float> values);

}  // namespace beatscan
