// Pacing spikes with no QRS complex after them are no beats.
#include "stages/beats/lone_spikes.h"

#include <algorithm>
#include <cmath>

#include "app/synthetic/synthetic.h"
#include "kernels/detection/beat_tips.h"
#include "stages/beats/detect.h"
#include "stages/beats/detect_options.h"
#include "stages/quality/quality_options.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

constexpr std::int64_t kSpikeRate = 500;

using Tips = std::vector<BeatTip>;

TEST(LoneSpikes, AreNarrowWithNothingAfterThem) {
  const BeatTip qrs{1, 0.6F, 0.5F}, spike{1, 0.1F, 0.05F}, paced{1, 0.1F, 0.5F}, blunt{1, 0.6F, 0.05F};
  using Flags = std::vector<std::uint8_t>;
  EXPECT_EQ(lone_spikes({Tips{qrs, spike, qrs, paced, blunt, qrs}}), (Flags{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(lone_spikes({Tips{qrs, spike, qrs}, Tips{qrs, paced, qrs}}), (Flags{0, 0, 0}))
      << "the other lead has a QRS";
  EXPECT_EQ(lone_spikes({Tips{qrs, spike, qrs}, Tips{qrs, {0.01F, 0.005F, 0.01F}, qrs}}), (Flags{0, 1, 0}));
  EXPECT_EQ(lone_spikes({Tips{qrs, {NAN, NAN, NAN}}}), (Flags{0, 0})) << "too near an end";
  EXPECT_EQ(lone_spikes({}), Flags{});
}

template <class Context>
class LoneSpikesOf : public OnBackend<Context> {
 protected:
  Detection<Context> found(const std::vector<float>& x) {
    auto& context = this->context();
    const auto samples = from_host(context, x);
    const std::vector<LeadSignal> leads{{samples}};
    return detect_r_peaks<Context>(context, leads, {}, {}, kSpikeRate);
  }
  // Two minutes of ECG in which the heart stands still from 60 to 72 s.
  static std::vector<float> standstill() {
    std::vector<float> x(120 * kSpikeRate);
    SyntheticEcg(std::ssize(x), kSpikeRate, 0, 5).render(0, x);
    for (std::int64_t i = 60 * kSpikeRate; i < 72 * kSpikeRate; ++i)
      x[i] = 0.01F * std::sin(0.1F * static_cast<float>(i));
    return x;
  }
  static void pace(std::vector<float>& x, std::int64_t from, std::int64_t to, float height) {
    for (auto i = from * kSpikeRate; i < to * kSpikeRate; i += 6 * kSpikeRate / 7) x[i] += height, x[i + 1] += height;
  }
};
TYPED_TEST_SUITE(LoneSpikesOf, Backends, BackendNames);

TYPED_TEST(LoneSpikesOf, AStandstillAreLeftOut) {
  auto x = this->standstill();
  const auto without = this->found(x).r_peaks.size();
  for (const float height : {0.5F, 2.0F}) {
    auto paced = x;
    this->pace(paced, 61, 71, height);
    const auto found = this->found(paced);
    EXPECT_LE(found.r_peaks.size(), without) << height;
    EXPECT_GE(found.r_peaks.size(), without - 1) << "a spike may hide the beat beside it";
    EXPECT_GE(found.spikes.size(), 10U) << height;
    EXPECT_TRUE(std::ranges::all_of(found.spikes, [](std::int64_t at) {
      return at > 60 * kSpikeRate && at < 72 * kSpikeRate;
    })) << height;
  }
}

TYPED_TEST(LoneSpikesOf, AnEcgAreNone) {
  std::vector<float> x(120 * kSpikeRate);
  SyntheticEcg(std::ssize(x), kSpikeRate, 0.1, 5).render(0, x);
  EXPECT_TRUE(this->found(x).spikes.empty());
  this->pace(x, 0, 119, 1);
  EXPECT_TRUE(this->found(x).spikes.size() < 20) << "own beats follow most spikes of a pacemaker that does not sense";
}

// Nothing but spikes: they are listed, and stay beats, since no beat would be left.
TYPED_TEST(LoneSpikesOf, AllAreToldAndStay) {
  std::vector<float> x(60 * kSpikeRate);
  for (std::int64_t i = 0; i < std::ssize(x); ++i) x[i] = 0.01F * std::sin(0.1F * static_cast<float>(i));
  this->pace(x, 1, 59, 1);
  const auto found = this->found(x);
  EXPECT_GT(found.spikes.size(), 50U);
  EXPECT_GE(static_cast<std::size_t>(found.r_peaks.size()), found.spikes.size());
}

}  // namespace
}  // namespace beatscan
