#include "stages/quality_index/quality_index.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/quality_index/features.h"
#include "tests/kernels/quality_index/quality_reference.h"
#include "tests/support/backends.h"
#include "tests/support/recorded_leads.h"

namespace beatscan {
namespace {

using namespace quality_index;

struct FoundQuality {
  std::int64_t leads, blocks;
  std::vector<float> p, features;
  double acceptable;

  float of(std::int64_t lead, std::int64_t block, Class c) const { return p[(lead * blocks + block) * kClasses + c]; }
};

template <class Context>
class QualityIndexStage : public OnBackend<Context> {
 protected:
  FoundQuality found_in(const std::vector<std::vector<float>>& leads, double rate_hz, const char* unit = "mV") {
    auto& context = this->context();
    auto recording = recording_of_leads(context, leads);
    for (auto& lead : recording.leads) lead.unit = unit;
    const auto index = quality_index_of(context, recording, trained_quality(), rate_hz);
    return {index.leads, index.blocks, to_host(context, index.probabilities), to_host(context, index.features),
            index.acceptable};
  }
};
TYPED_TEST_SUITE(QualityIndexStage, Backends, BackendNames);

std::vector<float> with_noise(std::vector<float> x, std::int64_t first, std::int64_t end, float size) {
  std::mt19937_64 random(3);
  std::normal_distribution<float> normal(0, size);
  for (std::int64_t i = first; i < end; ++i) x[i] += normal(random);
  return x;
}

TYPED_TEST(QualityIndexStage, TellsNoiseFromSignalInEachLead) {
  const auto clean = synthetic_minute(250, 0.1);
  const auto noisy = with_noise(clean, 5000, 10000, 0.5F);
  const auto found = this->found_in({clean, noisy}, 250);
  ASSERT_EQ(found.leads, 2);
  ASSERT_EQ(found.blocks, 30);
  for (int b = 1; b < 29; ++b) EXPECT_GT(found.of(0, b, kGood), 0.5F) << b;
  for (int b = 11; b < 19; ++b) EXPECT_GT(found.of(1, b, kNoise), 0.5F) << b;
  for (int b = 1; b < 9; ++b) EXPECT_EQ(found.of(1, b, kLost) > 0.5F, false) << b;
}

// The same signal in other units has the same probabilities but for roundings.
TYPED_TEST(QualityIndexStage, DoesNotDependOnTheUnit) {
  auto x = with_noise(synthetic_minute(360, 0.1), 3000, 6000, 0.4F);
  for (float& value : x) value = std::round(value * 200);
  auto in_mv = x;
  for (float& value : in_mv) value /= 256;  // a power of two: without rounding
  const auto mv = this->found_in({in_mv}, 360);
  for (float& value : x) value *= 1000.0F / 256;
  const auto uv = this->found_in({x}, 360, "uV");
  for (std::size_t i = 0; i < mv.p.size(); ++i) EXPECT_NEAR(mv.p[i], uv.p[i], 0.15) << i;
  EXPECT_NEAR(mv.acceptable, uv.acceptable, 0.1);
}

TYPED_TEST(QualityIndexStage, OfALeadThatIsOffIsLost) {
  const auto found = this->found_in({synthetic_minute(250, 0), std::vector<float>(15000, 0.7F)}, 250);
  for (int b = 0; b < 30; ++b) {
    EXPECT_GT(found.of(1, b, kLost), 0.5F) << b;
    for (int f = 0; f < kFeatures; ++f) EXPECT_TRUE(std::isfinite(found.features[(30 + b) * kFeatures + f])) << f;
  }
}

TYPED_TEST(QualityIndexStage, OfShortRecordingsIsOneBlock) {
  for (const std::int64_t size : {1, 2, 30, 499, 500, 999}) {
    SCOPED_TRACE(size);
    const auto x = synthetic_minute(250, 0);
    const auto found = this->found_in({{x.begin(), x.begin() + size}}, 250);
    EXPECT_EQ(found.blocks, 1);
    for (const float value : found.features) EXPECT_TRUE(std::isfinite(value));
    EXPECT_NEAR(found.p[0] + found.p[1] + found.p[2], 1, 1e-6);
    EXPECT_TRUE(found.acceptable > 0 && found.acceptable < 1);
  }
}

TYPED_TEST(QualityIndexStage, OfOtherRatesIsNothing) {
  EXPECT_EQ(this->found_in({synthetic_minute(50, 0)}, 50).leads, 0);
  EXPECT_EQ(this->found_in({synthetic_minute(250, 0)}, 5001).leads, 0);
}

// Both back ends compute the same features bit by bit.
TYPED_TEST(QualityIndexStage, IsThatOfTheCpu) {
  auto x = with_noise(synthetic_minute(360, 0.2), 9000, 12000, 0.3F);
  std::fill_n(x.begin() + 15000, 900, x[15000]);
  const auto found = this->found_in({x, with_noise(x, 0, 4000, 1)}, 360);
  Cpu cpu(1);
  auto recording = recording_of_leads(cpu, {x, with_noise(x, 0, 4000, 1)});
  for (auto& lead : recording.leads) lead.unit = "mV";
  const auto expected = quality_index_of(cpu, recording, trained_quality(), 360);
  EXPECT_EQ(bits_of(found.features), bits_of(to_host(cpu, expected.features)));
  const auto p = to_host(cpu, expected.probabilities);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(found.p[i], p[i], 1e-6);
  EXPECT_NEAR(found.acceptable, expected.acceptable, 1e-6);
}

}  // namespace
}  // namespace beatscan
