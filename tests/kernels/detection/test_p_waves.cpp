#include "kernels/detection/p_waves.h"

#include <algorithm>
#include <random>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Beats = std::vector<std::int64_t>;
using Parts = std::vector<float>;

template <class Context>
class WavesAmongBeats : public OnBackend<Context> {
 protected:
  std::vector<WaveAmongBeats> found(const Beats& beats, const Parts& parts, const std::vector<AskedWave>& asked,
                                    const PWaveRule& rule) {
    auto& context = this->context();
    Buffer<WaveAmongBeats, Context> buffer(context, std::ssize(asked));
    waves_among_beats(context, from_host(context, beats), from_host(context, parts), from_host(context, asked), rule,
                      buffer);
    return to_host(context, buffer);
  }
};
TYPED_TEST_SUITE(WavesAmongBeats, Backends, BackendNames);

float median_of(Parts values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return n == 0 ? 0 : 0.5F * (values[(n - 1) / 2] + values[n / 2]);
}

std::uint32_t bit(int beats_behind) { return 1u << (kPWaveReach + beats_behind); }

// Parts of ten samples. Beats of 8, 9 and 6 at 100, 200 and 300, with P waves of 2, 1 and 3 before them, and a wave of
// 2.5 at 250.
TYPED_TEST(WavesAmongBeats, ByHand) {
  Parts parts(40, 0.1F);
  parts[10] = 8, parts[20] = 9, parts[30] = 6, parts[8] = 2, parts[18] = 1, parts[28] = 3, parts[25] = 2.5F;
  const Beats beats{100, 200, 250, 300};
  const PWaveRule rule{10, 25, 15};
  const auto all = this->found(beats, parts, {{2, bit(-2) | bit(-1) | bit(1)}, {2, bit(-1)}, {0, 0}}, rule);
  EXPECT_EQ(all[0].own, 2.5F);
  EXPECT_EQ(all[0].beat, 8);
  EXPECT_EQ(all[0].p_wave, 2);
  EXPECT_EQ(all[1].beat, 9);
  EXPECT_EQ(all[1].p_wave, 1);
  EXPECT_EQ(all[2].own, 8) << "the first of all";
  EXPECT_EQ(all[2].beat, 0) << "none is strong";
  EXPECT_EQ(this->found({5, 390}, parts, {{1, bit(-1) | bit(0)}}, rule)[0].p_wave, 0.05F)
      << "nothing is before the first beat, and 0.1 before the last";
  EXPECT_TRUE(this->found(beats, parts, {}, rule).empty());
}

TYPED_TEST(WavesAmongBeats, AgreeWithTheirDefinition) {
  std::mt19937 random(5);
  for (const int asked_count : {1, 255, 256, 257, 1025}) {
    constexpr int kWidth = 7;
    Beats beats;
    for (std::int64_t at = 40; std::ssize(beats) < asked_count + 20;
         at += 60 + static_cast<std::int64_t>(random() % 80))
      beats.push_back(at);
    Parts parts(static_cast<std::size_t>(beats.back() / kWidth + 3));
    for (float& part : parts) part = static_cast<float>(random() % 50);
    std::vector<AskedWave> asked;
    for (int a = 0; a < asked_count; ++a) asked.push_back({a + 10, static_cast<std::uint32_t>(random()) & 0x1ffffu});
    const PWaveRule rule{kWidth, 30, 12};
    const auto found = this->found(beats, parts, asked, rule);
    const auto largest = [&](std::int64_t first, std::int64_t last) {
      return *std::max_element(parts.begin() + std::max<std::int64_t>(first, 0),
                               parts.begin() + std::min<std::int64_t>(last, std::ssize(parts)));
    };
    for (int a = 0; a < asked_count; ++a) {
      Parts of_beats, of_p;
      for (int j = 0; j < 17; ++j) {
        if (!(asked[a].strong >> j & 1u)) continue;
        const std::int64_t at = beats[asked[a].beat + j - 8];
        of_beats.push_back(largest(at / kWidth - 1, at / kWidth + 2));
        of_p.push_back(largest((at - 30) / kWidth, (at - 12) / kWidth + 1));
      }
      const std::int64_t own = beats[asked[a].beat] / kWidth;
      ASSERT_EQ(found[a].own, largest(own - 1, own + 2)) << a;
      ASSERT_EQ(found[a].beat, median_of(of_beats)) << a;
      ASSERT_EQ(found[a].p_wave, median_of(of_p)) << a;
    }
  }
}

TYPED_TEST(WavesAmongBeats, RefuseBadShapes) {
  auto& context = this->context();
  const auto beats = from_host(context, Beats{10});
  const auto parts = from_host(context, Parts{1});
  const auto asked = from_host(context, std::vector<AskedWave>{{0, 0}});
  Buffer<WaveAmongBeats, TypeParam> one(context, 1), two(context, 2);
  EXPECT_THROW_KIND(waves_among_beats(context, beats, parts, asked, {1, 2, 1}, two), ErrorKind::internal);
  EXPECT_THROW_KIND(waves_among_beats(context, beats, parts, asked, {0, 2, 1}, one), ErrorKind::internal);
  EXPECT_THROW_KIND(waves_among_beats(context, beats, parts, asked, {1, 1, 2}, one), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
