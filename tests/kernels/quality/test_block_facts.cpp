#include <cmath>
#include <numbers>

#include "kernels/quality/block_facts.h"
#include "tests/kernels/quality/quality_lead.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan::quality {
namespace {

template <class Context>
class QualityBlockFacts : public OnBackend<Context> {
 protected:
  std::vector<SampleFacts> samples_of(const LeadView& lead, std::int64_t first, std::int64_t count) {
    Buffer<SampleFacts, Context> facts(this->context(), count);
    sample_facts(this->context(), lead, first, facts);
    return to_host(this->context(), facts);
  }
  std::vector<BandFacts> bands_of(const LeadView& lead, std::int64_t first, std::int64_t count) {
    Buffer<BandFacts, Context> facts(this->context(), count);
    band_facts(this->context(), lead, first, facts);
    return to_host(this->context(), facts);
  }
};
TYPED_TEST_SUITE(QualityBlockFacts, Backends, BackendNames);

// A saw of 0, 1, 2, 3 at 100 Hz, whose steps are 2 uV: no two neighbours are equal.
std::vector<float> saw(int count) {
  std::vector<float> x(count);
  for (int i = 0; i < count; ++i) x[i] = static_cast<float>(i % 4);
  return x;
}

TYPED_TEST(QualityBlockFacts, OfASaw) {
  const QualityLead<TypeParam> made(this->context(), saw(400), 100, 0.002);
  ASSERT_EQ(made.lead.blocks, 2);
  for (const auto& facts : this->samples_of(made.lead, 0, 2)) {
    EXPECT_EQ(facts.missing, 0);
    EXPECT_EQ(facts.flat, 0);
    EXPECT_EQ(facts.rail, 0);
    EXPECT_EQ(facts.jump, 0);
    EXPECT_FLOAT_EQ(facts.step, 0.002F);
    EXPECT_FLOAT_EQ(facts.steep, 0.006F);
    EXPECT_FLOAT_EQ(facts.range, 0.006F);
  }
}

TYPED_TEST(QualityBlockFacts, OfRunsOfEqualSamples) {
  auto x = saw(400);
  for (int i = 20; i < 40; ++i) x[i] = 9;  // 20 samples at the largest value, between 3 and 0
  for (int i = 101; i < 104; ++i) x[i] = 1.5F;
  for (int i = 300; i < 400; ++i) x[i] = 1;  // half a block, to the end of the lead, from sample 297 + 4 = 301 on
  const QualityLead<TypeParam> made(this->context(), x, 100);
  const auto facts = this->samples_of(made.lead, 0, 2);
  EXPECT_FLOAT_EQ(facts[0].flat, 20 / 200.0F) << "8 samples are flat, and 3 are not";
  EXPECT_FLOAT_EQ(facts[0].rail, 20 / 200.0F) << "3 samples are not at an end";
  EXPECT_FLOAT_EQ(facts[0].jump, 6) << "from 3 to 9; back to 0 is more";
  EXPECT_FLOAT_EQ(facts[0].step, 1);
  EXPECT_FLOAT_EQ(facts[1].flat, 100 / 200.0F);
  EXPECT_EQ(facts[1].rail, 0);
  EXPECT_EQ(facts[1].jump, 0) << "too long for samples that were filled in";
}

TYPED_TEST(QualityBlockFacts, AChangeBesideAMissingSampleIsNoStep) {
  auto x = saw(400);
  x[51] = 2.25F;
  const QualityLead<TypeParam> made(this->context(), x, 100, 1, {{51, 51}, {198, 203}});
  const auto facts = this->samples_of(made.lead, 0, 2);
  EXPECT_FLOAT_EQ(facts[0].missing, 3 / 200.0F);
  EXPECT_FLOAT_EQ(facts[1].missing, 4 / 200.0F);
  EXPECT_FLOAT_EQ(facts[0].step, 1);
}

TYPED_TEST(QualityBlockFacts, OfAConstantLead) {
  const QualityLead<TypeParam> made(this->context(), std::vector<float>(700, 3.5F), 250);
  ASSERT_EQ(made.lead.blocks, 1);
  const auto samples = this->samples_of(made.lead, 0, 1).front();
  EXPECT_EQ(samples.flat, 1);
  EXPECT_EQ(samples.rail, 1);
  EXPECT_TRUE(std::isnan(samples.step));
  const auto bands = this->bands_of(made.lead, 0, 1).front();
  for (const float value : {bands.height, bands.rise, bands.high, bands.muscle, bands.baseline, bands.mains, bands.top})
    EXPECT_EQ(value, 0);
}

// A sine of 10 Hz and 1 mV passes the wave's band; one of 50 Hz does not, and is all of `mains`. Resampling lets 0.85
// of it through.
TYPED_TEST(QualityBlockFacts, OfSines) {
  for (const double hz : {10.0, 50.0}) {
    std::vector<float> x(10 * 500);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(std::sin(2 * std::numbers::pi * hz * static_cast<double>(i) / 500));
    const QualityLead<TypeParam> made(this->context(), x, 500);
    const auto facts = this->bands_of(made.lead, 0, 5)[2];
    EXPECT_NEAR(facts.height, hz == 10 ? 2 : 0, 0.1);
    EXPECT_NEAR(facts.high_root, hz == 10 ? 0 : 0.85 * std::sqrt(0.5), 0.05);
    // With a Hann window the amplitude of the sine is a quarter of the number of values.
    EXPECT_NEAR(facts.mains, hz == 10 ? 0 : std::pow(0.85 * 62.5, 2), 150);
    EXPECT_NEAR(facts.baseline, 0, 0.02);
  }
}

// Rates with a whole number of samples between values have code of their own on the CPU.
TYPED_TEST(QualityBlockFacts, DoNotDependOnWhereTheWorkBegins) {
  for (const double rate_hz : {100.0, 125.0, 250.0, 360.0, 500.0, 1000.0}) {
    const QualityLead<TypeParam> made(this->context(), quality_beats(rate_hz, 60), rate_hz);
    const auto bands = this->bands_of(made.lead, 0, 30);
    const auto samples = this->samples_of(made.lead, 0, 30);
    for (const std::int64_t first : {1, 5, 12, 29}) {
      const auto other = this->bands_of(made.lead, first, 30 - first);
      const auto other_samples = this->samples_of(made.lead, first, 30 - first);
      for (std::size_t i = 0; i < other.size(); ++i) {
        EXPECT_EQ(other[i].height, bands[first + i].height) << rate_hz << " " << first << " " << i;
        EXPECT_EQ(other[i].high_root, bands[first + i].high_root);
        EXPECT_EQ(other[i].muscle, bands[first + i].muscle);
        EXPECT_EQ(other[i].mains, bands[first + i].mains);
        EXPECT_EQ(other[i].top, bands[first + i].top);
        EXPECT_EQ(other_samples[i].steep, samples[first + i].steep);
      }
    }
  }
}

TYPED_TEST(QualityBlockFacts, RefuseBlocksBeyondTheLead) {
  const QualityLead<TypeParam> made(this->context(), saw(400), 100);
  expect_error(ErrorKind::internal, "blocks beyond", [&] { this->samples_of(made.lead, 1, 2); });
  expect_error(ErrorKind::internal, "blocks beyond", [&] { this->bands_of(made.lead, -1, 1); });
  EXPECT_TRUE(this->bands_of(made.lead, 1, 0).empty());
  expect_error(ErrorKind::internal, "rate out of range", [&] { host_tables(19); });
}

TEST(QualityTables, HaveWeightsThatAddUpToOne) {
  for (const double rate_hz : {20.0, 100.0, 125.0, 128.0, 360.0, 1000.0, 20000.0}) {
    const HostTables tables = host_tables(rate_hz);
    ASSERT_EQ(tables.taps % 8, 0);
    ASSERT_EQ(std::ssize(tables.weights), (kPhases + 1) * tables.taps);
    for (int row = 0; row <= kPhases; ++row) {
      double sum = 0;
      for (int t = 0; t < tables.taps; ++t) sum += tables.weights[row * tables.taps + t];
      EXPECT_NEAR(sum, 1, 1e-5) << rate_hz << " " << row;
    }
  }
}

TEST(QualityTables, KnowHowManyBlocksThereAre) {
  EXPECT_EQ(block_count(1, 250), 1);
  EXPECT_EQ(block_count(999, 250), 1);
  EXPECT_EQ(block_count(1000, 250), 2);
  EXPECT_EQ(block_count(21'600'000, 250), 43200);
}

}  // namespace
}  // namespace beatscan::quality
