#include "kernels/model/random.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

// A random permutation of 0 .. n - 1 as a function. It is a Feistel network (Luby and Rackoff 1988) on a square power
// of two that holds n, applied until the result falls below n (Black and Rogaway 2002). From n = 64 on this takes less
// than four steps on average. The round function is MurmurHash3's finalizer with a round key from Philox.
class Permutation {
 public:
  BEATSCAN_HOST_DEVICE Permutation(RandomKey key, std::int64_t n) : n_(static_cast<std::uint32_t>(n)) {
    while ((std::uint64_t{1} << 2 * half_bits_) < n_) ++half_bits_;
    for (int i = 0; i < kRounds; ++i) keys_[i] = random_words(key, i / 4).word[i % 4];
  }

  BEATSCAN_HOST_DEVICE std::uint32_t operator()(std::uint32_t i) const {
    do i = mixed(i);
    while (i >= n_);
    return i;
  }

 private:
  static constexpr int kRounds = 8;

  BEATSCAN_HOST_DEVICE std::uint32_t mixed(std::uint32_t i) const {
    const std::uint32_t mask = (1u << half_bits_) - 1;
    std::uint32_t left = i >> half_bits_, right = i & mask;
    for (const std::uint32_t key : keys_) {
      std::uint32_t hash = right ^ key;
      hash = (hash ^ hash >> 16) * 0x85ebca6bu;
      hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
      const std::uint32_t next = left ^ ((hash ^ hash >> 16) & mask);
      left = right;
      right = next;
    }
    return left << half_bits_ | right;
  }

  std::uint32_t n_;
  int half_bits_ = 4;  // at least 4, because a network on fewer numbers has too few permutations
  std::uint32_t keys_[kRounds];
};

struct NormalPair {
  float first, second;
};

BEATSCAN_HOST_DEVICE inline NormalPair normal_pair(RandomKey key, std::int64_t i) {
  const PhiloxWords words = random_words(key, i);
  const float uniform =
      (static_cast<float>(words.word[0] >> 8) + 0.5f) * 0x1p-24f;  // above 0, so that the logarithm is finite
  const float angle = static_cast<float>(words.word[1] >> 8) * (6.283185307179586f * 0x1p-24f);
  const float radius = sqrtf(-2.0f * logf(uniform));
  return {radius * cosf(angle), radius * sinf(angle)};
}

}  // namespace

void shuffle(BackEnd& context, RandomKey key, std::span<const std::int32_t> items, std::span<std::int32_t> shuffled) {
  BEATSCAN_EXPECTS(items.empty() || items.size() == shuffled.size(), "shuffle: bad shape");
  BEATSCAN_EXPECTS(shuffled.size() < (std::size_t{1} << 31), "shuffle: too many items");
  const Permutation permutation(key, std::ssize(shuffled));
  const std::int32_t* given = items.empty() ? nullptr : items.data();
  each(context, std::ssize(shuffled), [=, shuffled = shuffled.data()] BEATSCAN_DEVICE(std::int64_t i) {
    const std::uint32_t source = permutation(static_cast<std::uint32_t>(i));
    shuffled[i] = given ? given[source] : static_cast<std::int32_t>(source);
  });
}

void fill_normal(BackEnd& context, RandomKey key, std::span<float> values) {
  const std::int64_t n = std::ssize(values);
  each(context, (n + 1) / 2, [=, values = values.data()] BEATSCAN_DEVICE(std::int64_t i) {
    const NormalPair pair = normal_pair(key, i);
    values[2 * i] = pair.first;
    if (2 * i + 1 < n) values[2 * i + 1] = pair.second;
  });
}

}  // namespace beatscan
