// A lead that is not flat, and shows nothing for some seconds while the other one is noise.
#include "stages/beats/resting_leads.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "app/synthetic/synthetic.h"
#include "stages/beats/detect.h"
#include "stages/beats/detect_options.h"
#include "stages/quality/quality_options.h"
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
  //   gaps  of the first lead: first and last samples
  Detection<Context> detected(const std::vector<std::vector<float>>& leads,
                              const std::array<std::vector<std::int64_t>, 2>& gaps = {}) {
    auto& context = this->context();
    std::vector<Buffer<float, Context>> buffers;
    std::vector<LeadSignal> signals;
    for (const auto& lead : leads) buffers.push_back(from_host(context, lead));
    for (const auto& buffer : buffers) signals.push_back({buffer.span()});
    const auto firsts = from_host(context, gaps[0]), lasts = from_host(context, gaps[1]);
    signals.front().gaps = {firsts, lasts};
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

TYPED_TEST(RestingLeads, OfThreeLeads) {
  const auto found = this->detected({noisy_lead(1.5F), resting_lead(8), noisy_lead(1)});
  EXPECT_EQ(this->beats_in(found, 8), 0);
  ASSERT_EQ(found.resting.size(), 1U);
  EXPECT_EQ(found.resting.front().lead, 1U);
}

TYPED_TEST(RestingLeads, MayBeFlat) {
  auto lead = resting_lead(0);
  std::fill_n(lead.begin() + std::llround(kRestFrom_s * kRestRate), std::llround(8 * kRestRate), 0.0F);
  const auto found = this->detected({lead, noisy_lead(1.5F)});
  EXPECT_EQ(this->beats_in(found, 8), 0);
  ASSERT_GE(found.resting.size(), 1U);
  EXPECT_NEAR(static_cast<double>(found.resting.front().samples.first) / kRestRate, kRestFrom_s, 2);
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

// The last block of quality is up to half as long again, so that a rest may lie behind the place where the next would
// begin.
TYPED_TEST(RestingLeads, InTheLastOfLongBlocks) {
  auto lead = resting_lead(8);
  auto noise = noisy_lead(1.5F);
  const auto end = static_cast<std::size_t>((kRestFrom_s + 4.5) * kRestRate);
  lead.resize(end), noise.resize(end);
  auto& context = this->context();
  const auto first = from_host(context, lead), second = from_host(context, noise);
  const std::vector<LeadSignal> signals{{first}, {second}};
  DetectOptions options;
  options.block_s = 10;
  EXPECT_NO_THROW(detect_r_peaks<TypeParam>(context, signals, options, {}, kRestRate));
}

TYPED_TEST(RestingLeads, AreNoneWhereTheHeartIsSeen) {
  EXPECT_TRUE(this->detected({resting_lead(8)}).resting.empty()) << "one lead";
  EXPECT_TRUE(this->detected({resting_lead(2), noisy_lead(1.5F)}).resting.empty()) << "it is brief";
  EXPECT_TRUE(this->detected({resting_lead(0), noisy_lead(1.5F)}).resting.empty()) << "it shows all beats";
  EXPECT_TRUE(this->detected({resting_lead(8, 0.2F), noisy_lead(1.5F)}).resting.empty()) << "small beats stand out";
  const auto clean = this->detected({resting_lead(8), resting_lead(0)});
  EXPECT_TRUE(clean.resting.empty());
  EXPECT_GE(this->beats_in(clean, 8), 6) << "the other lead is good";
  auto good_for_a_while = noisy_lead(1.5F);
  const auto clean_lead = resting_lead(0);
  const auto from = std::llround((kRestFrom_s + 4) * kRestRate), to = std::llround((kRestFrom_s + 12) * kRestRate);
  std::copy(clean_lead.begin() + from, clean_lead.begin() + to, good_for_a_while.begin() + from);
  EXPECT_TRUE(this->detected({resting_lead(16), good_for_a_while}).resting.empty()) << "it beats in between";
}

TYPED_TEST(RestingLeads, AreNoneWhereTheElectrodeIsOff) {
  EXPECT_TRUE(this->detected({resting_lead(40), noisy_lead(1.5F)}).resting.empty()) << "it is too long";
  auto missing = resting_lead(8);
  const auto noise = noisy_lead(0.45F);
  const std::vector<std::int64_t> first{std::llround(kRestFrom_s * kRestRate)},
      last{std::llround((kRestFrom_s + 20) * kRestRate)};
  std::fill(missing.begin() + first[0], missing.begin() + last[0] + 1, missing[first[0] - 1]);
  const auto alone = this->detected({noise}), both = this->detected({missing, noise}, {first, last});
  ASSERT_GE(this->beats_in(alone, 20), 15);
  EXPECT_GE(this->beats_in(both, 20), this->beats_in(alone, 20) - 1) << "its samples are missing";
  EXPECT_TRUE(both.resting.empty());
}

TYPED_TEST(RestingLeads, AreNoneWhereTheLeadIsPoor) {
  auto fades = resting_lead(8);
  for (auto i = std::llround((kRestFrom_s - 12) * kRestRate); i < std::llround((kRestFrom_s - 1) * kRestRate); ++i)
    fades[i] *= 0.35F;
  EXPECT_TRUE(this->detected({fades, noisy_lead(1.5F)}).resting.empty()) << "the beats before are small, too";
  auto noisy_beside = resting_lead(8);
  const auto noise = noisy_lead(0.3F), usual = resting_lead(0);
  for (auto i = std::llround((kRestFrom_s - 20) * kRestRate); i < std::llround((kRestFrom_s + 28) * kRestRate); ++i)
    if (i < std::llround((kRestFrom_s - 1) * kRestRate) || i >= std::llround((kRestFrom_s + 9) * kRestRate))
      noisy_beside[i] += noise[i] - usual[i];
  EXPECT_TRUE(this->detected({noisy_beside, noisy_lead(1.5F)}).resting.empty()) << "it is noisy beside";
  for (int place = 0; place < 10; ++place) {
    auto bump = resting_lead(8);
    const auto middle = std::llround((kRestFrom_s + 4 + 0.05 * place) * kRestRate);
    for (int i = -15; i < 15; ++i) bump[middle + i] += 0.4F * std::exp(-static_cast<float>(i * i) / 50);
    EXPECT_TRUE(this->detected({bump, noisy_lead(1.5F)}).resting.empty()) << "something is in it " << place;
  }
  auto brief = resting_lead(4), brief_noise = noisy_lead(1.5F);
  for (auto* its : {&brief, &brief_noise}) {
    its->resize(std::llround((kRestFrom_s + 9) * kRestRate));
    its->erase(its->begin(), its->begin() + std::llround((kRestFrom_s - 5) * kRestRate));
  }
  EXPECT_TRUE(this->detected({brief, brief_noise}).resting.empty()) << "too few beats tell what is usual";
}

}  // namespace
}  // namespace beatscan
