// A lead that is not flat, and shows nothing for some seconds while the other one is noise.
#include "stages/beats/resting_leads.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "app/synthetic/synthetic.h"
#include "stages/beats/detect.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

constexpr double kRestRate = 250, kRestFrom_s = 60;

// Two minutes of ECG. From kRestFrom_s on `seconds` of it are `scale` times as large, on a line that wanders.
std::vector<float> resting_lead(double seconds, float scale = 0) {
  std::vector<float> x(static_cast<std::size_t>(120 * kRestRate));
  SyntheticEcg(std::ssize(x), kRestRate, 0, 5).render(0, x);
  std::mt19937 random(1);
  std::normal_distribution<float> any(0, 0.003F);
  const auto from = std::llround(kRestFrom_s * kRestRate);
  for (auto i = from; i < std::min<std::int64_t>(from + std::llround(seconds * kRestRate), std::ssize(x)); ++i)
    x[i] = scale * x[i] +
           0.08F * static_cast<float>(std::sin(2 * 3.14159265 * 0.4 * static_cast<double>(i) / kRestRate)) +
           any(random);
  return x;
}

std::vector<float> noisy_lead(float deviation) {
  auto x = resting_lead(0);
  std::mt19937 random(7);
  std::normal_distribution<float> any(0, deviation);
  for (float& value : x) value += any(random);
  return x;
}

template <class Context>
class RestingLeads : public OnBackend<Context> {
 protected:
  // Returns how many beats are found from 0.3 s after the rest's beginning to its end.
  std::int64_t beats_in(const Detection<Context>& found, double seconds) {
    const auto peaks = to_host(this->context(), found.r_peaks);
    return std::ranges::count_if(peaks, [=](double at) {
      return at > (kRestFrom_s + 0.3) * kRestRate && at < (kRestFrom_s + seconds) * kRestRate;
    });
  }
  Detection<Context> detected(const std::vector<std::vector<float>>& leads) {
    auto& context = this->context();
    std::vector<Buffer<float, Context>> buffers;
    std::vector<LeadSignal> signals;
    for (const auto& lead : leads) buffers.push_back(from_host(context, lead));
    for (const auto& buffer : buffers) signals.push_back({buffer.span()});
    return detect_r_peaks<Context>(context, signals, {}, {}, kRestRate);
  }
};
TYPED_TEST_SUITE(RestingLeads, Backends, BackendNames);

TYPED_TEST(RestingLeads, HaveNoBeatsOfNoise) {
  for (const double seconds : {8.0, 20.0}) {
    const auto found = this->detected({resting_lead(seconds), noisy_lead(1.5F)});
    EXPECT_EQ(this->beats_in(found, seconds), 0) << seconds;
    ASSERT_EQ(found.resting.size(), 1U) << seconds;
    const RestingLead& rest = found.resting.front();
    EXPECT_EQ(rest.lead, 0U);
    EXPECT_NEAR(static_cast<double>(rest.samples.first) / kRestRate, kRestFrom_s - 0.5, 0.7);
    EXPECT_NEAR(static_cast<double>(rest.samples.last) / kRestRate, kRestFrom_s + seconds + 0.5, 0.7);
    EXPECT_GE(rest.beats, 3);
  }
}

TYPED_TEST(RestingLeads, UpToTheEndOfTheRecording) {
  auto lead = resting_lead(8);
  auto noise = noisy_lead(1.5F);
  const auto end = static_cast<std::size_t>((kRestFrom_s + 7) * kRestRate);
  lead.resize(end), noise.resize(end);
  const auto found = this->detected({lead, noise});
  ASSERT_EQ(found.resting.size(), 1U);
  EXPECT_EQ(found.resting.front().samples.last, static_cast<std::int64_t>(end));
}

TYPED_TEST(RestingLeads, AreNoneWhereTheHeartIsSeen) {
  EXPECT_TRUE(this->detected({resting_lead(8)}).resting.empty()) << "one lead";
  EXPECT_TRUE(this->detected({resting_lead(2), noisy_lead(1.5F)}).resting.empty()) << "it is brief";
  EXPECT_TRUE(this->detected({resting_lead(0), noisy_lead(1.5F)}).resting.empty()) << "it shows all beats";
  EXPECT_TRUE(this->detected({resting_lead(8, 0.2F), noisy_lead(1.5F)}).resting.empty()) << "small beats stand out";
  const auto clean = this->detected({resting_lead(8), resting_lead(0)});
  EXPECT_TRUE(clean.resting.empty());
  EXPECT_GE(this->beats_in(clean, 8), 6) << "the other lead is good";
}

}  // namespace
}  // namespace beatscan
