#include "kernels/detect/detect_rules.h"

#include "kernels/runtime/error.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

// Beats at 100 samples of 100 Hz, and a low candidate half-way between two of them. All of them are beats at first.
template <class Context>
class DropBeatsTest : public OnBackend<Context> {
 protected:
  struct Found {
    std::vector<std::int64_t> beats;
    std::vector<float> dropped;
  };
  Found dropped(float noise, float height) {
    auto& context = this->context();
    const auto at = from_host(context, std::vector<std::int64_t>{0, 100, 150, 200, 300}),
               kept = from_host(context, std::vector<std::int64_t>{0, 1, 2, 3, 4});
    const auto heights = from_host(context, std::vector<float>{1, 1, height, 1, 1});
    const auto shares = from_host(context, std::vector<float>{noise});
    const auto found = from_host(context, std::vector<std::uint32_t>{0b11111});
    const auto usual = from_host(context, std::vector<double>(8, 100.0));
    Buffer<std::uint32_t, Context> beats(context, 1);
    Buffer<float, Context> dropped(context, 5);
    drop_beats(context, {{at, heights, heights}, shares, 1000, 100, found, kept, usual}, beats, dropped);
    return {to_host(context, positions(context, beats, Pick::every)), to_host(context, dropped)};
  }
};
TYPED_TEST_SUITE(DropBeatsTest, Backends, BackendNames);

using Indices = std::vector<std::int64_t>;

// For the low candidate z = 2.65 ln h + 0.65, which is -1.78 for h = 0.4.
TYPED_TEST(DropBeatsTest, ByHand) {
  const Indices all{0, 1, 2, 3, 4}, without{0, 1, 3, 4};
  const auto full = this->dropped(1, 0.4f);
  EXPECT_EQ(full.beats, without);
  EXPECT_EQ(full.dropped, (std::vector<float>{0, 0, 0.4f, 0, 0}));
  EXPECT_EQ(this->dropped(0, 0.4f).beats, all);          // no noise
  EXPECT_EQ(this->dropped(0.35f, 0.4f).beats, all);      // -(1 - s) / s is -1.86
  EXPECT_EQ(this->dropped(0.37f, 0.4f).beats, without);  // and -1.70
  EXPECT_EQ(this->dropped(1, 0.79f).beats, all);
  EXPECT_EQ(this->dropped(1, 0.78f).beats, without);
}

TYPED_TEST(DropBeatsTest, IntervalsByHand) {
  auto& context = this->context();
  Buffer<double, TypeParam> intervals(context, 2);
  Buffer<std::int64_t, TypeParam> indices(context, 2);
  beat_intervals(context, from_host(context, Indices{10, 20, 50, 90}), from_host(context, Indices{0, 2, 3}), intervals,
                 indices);
  EXPECT_EQ(to_host(context, intervals), (std::vector<double>{40, 40}));
  EXPECT_EQ(to_host(context, indices), (Indices{0, 1}));
  EXPECT_THROW(
      beat_intervals(context, from_host(context, Indices{10}), from_host(context, Indices{0}), intervals, indices),
      Error);
}

}  // namespace
}  // namespace beatscan
