#include "stages/beats/standstill.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "app/synthetic/synthetic.h"
#include "kernels/runtime/buffer.h"
#include "stages/beats/detect.h"
#include "stages/beats/detect_options.h"
#include "stages/quality/quality_options.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

constexpr double kPausedRate = 250, kPauseFrom_s = 60, kPauseTo_s = 68;

std::vector<float> paused_lead(std::uint64_t seed, float ripple, bool pauses = true) {
  std::vector<float> x(static_cast<std::size_t>(120 * kPausedRate));
  SyntheticEcg(std::ssize(x), kPausedRate, 0, seed).render(0, x);
  std::mt19937 random(1);
  std::normal_distribution<float> any;
  for (auto i = std::llround(kPauseFrom_s * kPausedRate); pauses && i < std::llround(kPauseTo_s * kPausedRate); ++i)
    x[i] = ripple * any(random);
  return x;
}

std::vector<float> noise_alone(float deviation) {
  std::mt19937 random(7);
  std::normal_distribution<float> any(0, deviation);
  std::vector<float> x(static_cast<std::size_t>(120 * kPausedRate));
  for (float& value : x) value = any(random);
  return x;
}

template <class Context>
class BeatsOfNoise : public OnBackend<Context> {
 protected:
  // Returns how many beats are found in the pause and in all.
  std::pair<std::int64_t, std::int64_t> beats(const std::vector<std::vector<float>>& leads) {
    auto& context = this->context();
    std::vector<Buffer<float, Context>> buffers;
    std::vector<LeadSignal> signals;
    for (const auto& lead : leads) buffers.push_back(from_host(context, lead));
    for (const auto& buffer : buffers) signals.push_back({buffer.span()});
    const auto found = detect_r_peaks<Context>(context, signals, {}, {}, kPausedRate);
    const auto peaks = to_host(context, found.r_peaks);
    return {
        std::ranges::count_if(
            peaks, [](double at) { return at > (kPauseFrom_s + 0.1) * kPausedRate && at < kPauseTo_s * kPausedRate; }),
        std::ssize(peaks)};
  }
};
TYPED_TEST_SUITE(BeatsOfNoise, Backends, BackendNames);

// A line that is exactly flat, and one with a ripple; noise weaker and stronger than the beats.
TYPED_TEST(BeatsOfNoise, NoiseInTheOtherLeadMakesNoBeat) {
  for (const float ripple : {0.0F, 0.003F})
    for (const float noise : {0.2F, 1.0F}) {
      const auto alone = this->beats({paused_lead(5, ripple)});
      ASSERT_EQ(alone.first, 0);
      const auto both = this->beats({paused_lead(5, ripple), noise_alone(noise)});
      EXPECT_EQ(both.first, 0) << ripple << " " << noise;
      EXPECT_NEAR(both.second, alone.second, 1) << ripple << " " << noise;
    }
}

TYPED_TEST(BeatsOfNoise, BeatsThatTheOtherLeadShowsStay) {
  const auto whole = this->beats({paused_lead(5, 0, false)});
  ASSERT_GT(whole.first, 5);
  EXPECT_EQ(this->beats({paused_lead(5, 0), paused_lead(5, 0, false)}), whole);
}

}  // namespace
}  // namespace beatscan
