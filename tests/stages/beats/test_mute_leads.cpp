// A lead that does not show beats is no good signal where another lead makes beats of noise.
#include "stages/beats/mute_leads.h"

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

constexpr double kMuteRate = 250, kMuteFrom_s = 60;
using MuteLead = std::vector<float>;

MuteLead whole_lead(float gain = 1) {
  MuteLead x(static_cast<std::size_t>(120 * kMuteRate));
  SyntheticEcg(std::ssize(x), kMuteRate, 0, 5).render(0, x);
  for (float& value : x) value *= gain;
  return x;
}

// Replaces the second minute, or changes it.
template <class Change>
MuteLead changed(MuteLead x, Change&& change) {
  for (auto i = std::llround(kMuteFrom_s * kMuteRate); i < std::ssize(x); ++i) x[i] = change(i, x[i]);
  return x;
}

MuteLead with_hum(float amplitude) {
  return changed(whole_lead(), [=](std::int64_t i, float) {
    return amplitude * static_cast<float>(std::sin(2 * 3.14159265 * 50 * static_cast<double>(i) / kMuteRate));
  });
}

MuteLead with_noise(float deviation) {
  std::mt19937 random(7);
  std::normal_distribution<float> any(0, deviation);
  return changed(whole_lead(), [&](std::int64_t, float value) { return value + any(random); });
}

template <class Context>
class MuteLeads : public OnBackend<Context> {
 protected:
  // Returns the shares of good blocks in the first and the second minute of each lead.
  std::vector<std::pair<double, double>> good(const std::vector<MuteLead>& leads) {
    auto& context = this->context();
    std::vector<Buffer<float, Context>> buffers;
    std::vector<LeadSignal> signals;
    for (const auto& lead : leads) buffers.push_back(from_host(context, lead));
    for (const auto& buffer : buffers) signals.push_back({buffer.span()});
    const auto found = detect_r_peaks<Context>(context, signals, {}, {}, kMuteRate);
    std::vector<std::pair<double, double>> shares;
    for (const auto& quality : found.quality) {
      const auto half = quality.blocks.begin() + std::ssize(quality.blocks) / 2;
      const auto share = [](auto first, auto last) {
        return static_cast<double>(std::count(first, last, Quality::good)) / static_cast<double>(last - first);
      };
      shares.emplace_back(share(quality.blocks.begin(), half), share(half, quality.blocks.end()));
    }
    return shares;
  }
};
TYPED_TEST_SUITE(MuteLeads, Backends, BackendNames);

// Neither weak nor strong hum shows the beats that noise makes in the other lead.
TYPED_TEST(MuteLeads, AreNoGoodSignal) {
  for (const float hum : {0.02F, 0.3F}) {
    const auto shares = this->good({with_noise(0.5F), with_hum(hum)});
    EXPECT_GT(shares[1].first, 0.95) << hum;
    EXPECT_LT(shares[1].second, 0.05) << hum;
  }
}

// The gain of a clean lead falls while the other is noise.
TYPED_TEST(MuteLeads, AreNotCleanLeadsOfAnotherGain) {
  const auto weaker = changed(whole_lead(), [](std::int64_t, float value) { return 0.15F * value; });
  EXPECT_GT(this->good({with_noise(0.5F), weaker})[1].second, 0.95);
}

// The gain changes in all leads alike, or one lead is small from the start.
TYPED_TEST(MuteLeads, AreNotThoseOfAnotherGain) {
  const auto weaker = changed(whole_lead(), [](std::int64_t, float value) { return 0.1F * value; });
  for (const auto& [first, second] : this->good({weaker, weaker})) {
    EXPECT_GT(first, 0.95);
    EXPECT_GT(second, 0.95);
  }
  for (const auto& [first, second] : this->good({whole_lead(), whole_lead(0.05F)})) {
    EXPECT_EQ(first, 1);
    EXPECT_EQ(second, 1);
  }
}

}  // namespace
}  // namespace beatscan
