#include "stages/quality/wraps.h"

#include <algorithm>
#include <cmath>

#include "stages/quality/signal_quality.h"
#include "tests/support/backends.h"
#include "tests/support/recorded_leads.h"

namespace beatscan {
namespace {

constexpr int kWrapsRate_hz = 250;

std::vector<float> ecg() { return synthetic_minute(kWrapsRate_hz, 0.1); }

template <class Context>
class WrapsRound : public OnBackend<Context> {
 protected:
  Wraps wraps(const std::vector<float>& x) {
    RecordedLead<Context> lead;
    lead.samples = from_host(this->context(), x);
    const auto [low, high] = std::ranges::minmax(x);
    lead.range = {low, high};
    SignalQuality quality;
    quality.block_samples = 2 * kWrapsRate_hz;
    for (std::int64_t first = 0; first < std::ssize(x); first += quality.block_samples) {
      const auto ends = std::minmax_element(x.begin() + first, x.begin() + first + quality.block_samples);
      quality.extents.push_back({*ends.first, *ends.second});
    }
    return wraps_of(this->context(), lead, quality, kWrapsRate_hz);
  }
};
TYPED_TEST_SUITE(WrapsRound, Backends, BackendNames);

TYPED_TEST(WrapsRound, IsToldOfWavesBeyondTheRange) {
  auto x = ecg();
  EXPECT_FALSE(this->wraps(x).are_told());
  const float low = *std::ranges::min_element(x) - 0.2F;
  for (float& value : x) value = low + std::fmod(value - low, 0.6F - low);
  const Wraps wraps = this->wraps(x);
  EXPECT_TRUE(wraps.are_told()) << wraps.up << ", " << wraps.down;
  EXPECT_GT(std::abs(x[wraps.first + 1] - x[wraps.first]), 0.5);
}

TYPED_TEST(WrapsRound, IsNotToldOfSpikesAndOfFewJumps) {
  auto x = ecg();
  for (int i = 0; i < 20; ++i) x[100 + 700 * i] = 5, x[101 + 700 * i] = -5;
  EXPECT_FALSE(this->wraps(x).are_told()) << "spikes of one sample to either end";
  x = ecg();
  for (int i = 0; i < 4; ++i) std::fill_n(x.begin() + 100 + 3000 * i, 50, 5.0F);
  EXPECT_FALSE(this->wraps(x).are_told()) << "four";
  EXPECT_FALSE(this->wraps(std::vector<float>(500, 1)).are_told()) << "a flat line";
}

TYPED_TEST(WrapsRound, IsNotToldOfPacingSpikes) {
  for (const int samples : {1, 2})
    for (const bool decays : {false, true}) {
      auto x = synthetic_minute(kWrapsRate_hz, 0.02);
      for (int beat = 0; beat < 70; ++beat)
        for (int i = 0; i < samples; ++i) x[100 + 200 * beat + i] += decays ? 20 - 0.5F * static_cast<float>(i) : 20;
      const Wraps wraps = this->wraps(x);
      EXPECT_FALSE(wraps.are_told()) << samples << decays << ": " << wraps.up << ", " << wraps.down;
    }
}

}  // namespace
}  // namespace beatscan
