#include "stages/io/recording/lead_units.h"

#include <limits>

#include "stages/io/recording/recording.h"
#include "tests/support/backends.h"
#include "tests/support/recorded_leads.h"

namespace beatscan {
namespace {

std::vector<double> millivolts(const std::vector<LeadAmplitude>& leads) {
  std::vector<double> scales;
  for (const LeadScale& scale : lead_scales(leads)) scales.push_back(scale.mv_per_unit);
  return scales;
}

TEST(LeadUnits, AreKnown) {
  EXPECT_EQ(millivolts({{"mV", 3000}, {"uV", 1}, {"µV", 1}, {"V", 1}}), (std::vector<double>{1, 1e-3, 1e-3, 1e3}));
  EXPECT_FALSE(lead_scales(std::vector<LeadAmplitude>{{"mV", 3000}}).front().assumed);
  EXPECT_FALSE(millivolts_of("counts"));
}

TEST(LeadUnits, AreAssumed) {
  EXPECT_EQ(millivolts({{"", 1.5}, {"", 0.06}, {"", 0}}), (std::vector<double>{1, 1, 1}));
  EXPECT_TRUE(lead_scales(std::vector<LeadAmplitude>{{"", 1.5}}).front().assumed);
  EXPECT_EQ(millivolts({{"", 1500}}), (std::vector<double>{1e-3}));
  EXPECT_EQ(millivolts({{"counts", 300}, {"", 3000}, {"", 1500}}), (std::vector<double>{1e-3, 1e-3, 1e-3}))
      << "leads share a scale, so that their amplitudes compare";
  EXPECT_EQ(millivolts({{"", 40}, {"", 300}, {"", 560}}), (std::vector<double>{5e-3, 5e-3, 5e-3}));
  EXPECT_EQ(millivolts({{"uV", 900}, {"", 1.2}, {"", 3000}}), (std::vector<double>{1e-3, 1, 5e-4}));
}

template <class Context>
class LeadAmplitudes : public OnBackend<Context> {
 protected:
  Recording<Context> measured(const std::vector<std::vector<float>>& leads, double rate_hz) {
    auto recording = recording_of_leads(this->context(), leads);
    measure_amplitudes(this->context(), recording, rate_hz);
    return recording;
  }
};
TYPED_TEST_SUITE(LeadAmplitudes, Backends, BackendNames);

TYPED_TEST(LeadAmplitudes, ByHand) {
  const auto recording = this->measured({{0, 2, -1, 1, 5, 5, 0, 4, 7}}, 2);
  const auto& lead = recording.leads.front();
  EXPECT_EQ(lead.range.min, -1);
  EXPECT_EQ(lead.range.max, 7);
  EXPECT_EQ(lead.span, 3) << "the upper quartile of 2, 2, 0, 4, 0: those that move";
  constexpr float kMost = std::numeric_limits<float>::max();
  EXPECT_EQ(this->measured({{-kMost, kMost}}, 2).leads.front().span, 2 * double{kMost});
}

// The bridge over a gap, and the second after it, do not have the span of an ECG.
TYPED_TEST(LeadAmplitudes, DoNotCountGaps) {
  auto recording = recording_of_leads(this->context(), {{0, 8, 7, 6, 5, 4, 0, 4, 7}});
  recording.leads[0].gap_firsts = from_host(this->context(), std::vector<std::int64_t>{2});
  recording.leads[0].gap_lasts = from_host(this->context(), std::vector<std::int64_t>{5});
  measure_amplitudes(this->context(), recording, 2);
  EXPECT_EQ(recording.leads[0].span, 7) << "of 8 and 4";
}

TYPED_TEST(LeadAmplitudes, HaveNoNegativeZero) {
  const auto recording = this->measured({{-0.0F, -0.0F}}, 250);
  const auto& lead = recording.leads.front();
  EXPECT_FALSE(std::signbit(lead.range.min));
  EXPECT_FALSE(std::signbit(lead.range.max));
}

// Amplitudes of an ECG in counts do not depend on a spike in one of its leads.
TYPED_TEST(LeadAmplitudes, DoNotDependOnASpike) {
  auto lead = synthetic_minute(250, 0);
  for (float& x : lead) x *= 1000;
  auto spiked = lead;
  spiked[5000] = 2e6F;
  const auto recording = this->measured({lead, spiked}, 250);
  EXPECT_EQ(recording.leads[0].scale.mv_per_unit, recording.leads[1].scale.mv_per_unit);
  EXPECT_NEAR(recording.leads[0].scale.mv_per_unit, 1e-3, 5e-4);
  EXPECT_EQ(recording.leads[1].range.max, 2e6F);
}

}  // namespace
}  // namespace beatscan
