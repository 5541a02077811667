// Leads that show different beats are recognised.
#include "stages/detect/lead_agreement.h"

#include <cmath>

#include "app/synthetic/generate.h"
#include "kernels/runtime/buffer.h"
#include "stages/detect/detect.h"
#include "stages/detect/detect_options.h"
#include "stages/quality/quality.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

constexpr std::int64_t kAgreedRate = 250;
using Lead = std::vector<float>;

Lead ecg_of(std::uint64_t seed) {
  Lead x(120 * kAgreedRate);
  SyntheticEcg(std::ssize(x), kAgreedRate, 0.05, seed).render(0, x);
  return x;
}

TEST(ClearPeaks, StandOutOfTheRest) {
  std::vector<float> parts(250, 0.05F);
  for (std::size_t p = 10; p < 250; p += 20) parts[p] = 1;
  parts[20] = 0.4F;  // too low, and alone within its reach
  EXPECT_EQ(clear_peaks(parts, 0.04).size(), 12U);
  for (float& part : parts) part += 0.3F;
  EXPECT_TRUE(clear_peaks(parts, 0.04).empty()) << "noise lies between";
  EXPECT_TRUE(clear_peaks(std::span(parts).first(40), 0.04).empty()) << "too few";
}

template <class Context>
class Agreement : public OnBackend<Context> {
 protected:
  LeadAgreement of(const std::vector<Lead>& leads) {
    auto& context = this->context();
    std::vector<Buffer<float, Context>> memory;
    for (const auto& lead : leads) memory.push_back(from_host(context, lead));
    std::vector<LeadSignal> signals(leads.size());
    for (std::size_t l = 0; l < leads.size(); ++l) signals[l].samples = memory[l];
    const auto found = detect_r_peaks<Context>(context, signals, {}, {}, kAgreedRate);
    std::vector<std::size_t> all;
    for (std::size_t l = 0; l < leads.size(); ++l) all.push_back(l);
    return lead_agreement<Context>(context, found.profile, all, kAgreedRate);
  }
};
TYPED_TEST_SUITE(Agreement, Backends, BackendNames);

TYPED_TEST(Agreement, OfTwoLeadsOfOneHeart) {
  const auto x = ecg_of(5);
  Lead y = x;
  for (float& value : y) value *= -0.3F;
  const auto found = this->of({x, y});
  EXPECT_GT(found.looked, 8);
  EXPECT_EQ(found.apart, 0);
  EXPECT_FALSE(found.is_uncertain());
}

TYPED_TEST(Agreement, MeasuresADelay) {
  const auto x = ecg_of(5);
  Lead late(x.size());
  const std::int64_t delay = kAgreedRate / 10;
  std::copy(x.begin(), x.end() - delay, late.begin() + delay);
  const auto found = this->of({late, x, x});
  EXPECT_NEAR(found.delay_s, 0.1, 0.01);
  EXPECT_EQ(found.early, 1U);
  EXPECT_EQ(found.late, 0U);
  EXPECT_NEAR(this->of({x, x}).delay_s, 0, 0.001);
}

TYPED_TEST(Agreement, OfTwoHeartsIsNone) {
  const auto x = ecg_of(5);
  const auto found = this->of({x, x, ecg_of(6)});
  EXPECT_TRUE(found.is_uncertain());
  EXPECT_EQ(found.second, 2U);
  EXPECT_GT(2 * found.apart, found.looked);
}

TYPED_TEST(Agreement, WithSharpPulsesIsNone) {
  Lead pulses(120 * kAgreedRate);
  for (std::int64_t i = 0; i < std::ssize(pulses); ++i)
    pulses[i] = i % 195 < 8 ? 1.0F : 0.001F * static_cast<float>(i % 7);
  EXPECT_TRUE(this->of({ecg_of(5), pulses}).is_uncertain());
}

TYPED_TEST(Agreement, OfOneLeadOrAFewSecondsIsNotAsked) {
  EXPECT_EQ(this->of({ecg_of(5)}).looked, 0);
  Lead brief(5 * kAgreedRate);
  SyntheticEcg(std::ssize(brief), kAgreedRate, 0, 5).render(0, brief);
  EXPECT_EQ(this->of({brief, brief}).looked, 0);
}

}  // namespace
}  // namespace beatscan
