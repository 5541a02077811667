// Tests the noise factor of beats on synthetic ECG to which noise is added for a while.
#include "stages/windows/centred_beats.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/synthetic/generate.h"
#include "kernels/lists/gather.h"
#include "stages/detect/detect_options.h"
#include "stages/methods/around_r_peaks.h"
#include "stages/quality/quality.h"
#include "stages/quality/quality_index.h"
#include "stages/windows/embedded_beats.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

constexpr double kNoisyRate = 250;
constexpr std::int64_t kNoisySamples = 250 * 240;       // four minutes
constexpr double kNoiseFrom_s = 100, kNoiseTo_s = 140;  // noise is added between

// Factors of beats well within the noise, and well outside of it.
struct Factors {
  std::vector<float> within, outside;
};

template <class Context>
class NoiseOf : public OnBackend<Context> {
 protected:
  // Returns the factors with `noise(t)` added, t in seconds. The beats are those of the clean signal.
  Factors factors(const auto& noise, const NoiseOptions& options = {}) {
    auto& context = this->context();
    std::vector<float> signal(kNoisySamples);
    SyntheticEcg(kNoisySamples, kNoisyRate, 0.0, 7).render(0, signal);
    auto recording = recording_of(signal);
    const auto found = find_around_r_peaks(context, recording, {}, {}, {}, {}, kNoisyRate);
    for (std::int64_t i = 0; i < kNoisySamples; ++i) {
      const double t = static_cast<double>(i) / kNoisyRate;
      if (kNoiseFrom_s <= t && t < kNoiseTo_s) signal[i] += static_cast<float>(noise(t));
    }
    recording = recording_of(signal);
    const auto embedded = embed_leads(context, recording, found.beats, {.noise = options}, kNoisyRate);
    const auto all = to_host(context, embedded.leads.at(0).noise);
    const auto r_peaks = to_host(context, gathered(context, found.beats.r_peaks, embedded.rows.kept));
    Factors sorted;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double t = r_peaks[i] / kNoisyRate;
      if (t > kNoiseFrom_s + 5 && t < kNoiseTo_s - 5) sorted.within.push_back(all[i]);
      if (t < kNoiseFrom_s - 5 || t > kNoiseTo_s + 5) sorted.outside.push_back(all[i]);
    }
    EXPECT_GT(sorted.within.size(), 20u);
    return sorted;
  }

 private:
  Recording<Context> recording_of(const std::vector<float>& signal) {
    return with_one_lead<Context>({.samples = from_host(this->context(), signal)});
  }
};
TYPED_TEST_SUITE(NoiseOf, Backends, BackendNames);

double middle_of(std::vector<float> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

TYPED_TEST(NoiseOf, ACleanRecordingHasAFactorNearOne) {
  const auto found = this->factors([](double) { return 0; });
  EXPECT_LT(middle_of(found.within), 1.2);
  EXPECT_LT(std::ranges::max(found.outside), 3);
}

// The noise is like that of muscles: a sum of tones from 22 to 38 Hz.
TYPED_TEST(NoiseOf, MuscleNoiseHasALargeFactorWhereItIs) {
  const auto muscles = [](double t) {
    double sum = 0;
    for (int k = 0; k < 9; ++k) sum += std::sin(2 * std::numbers::pi * (22 + 2 * k + 0.37 * k) * t + k * k);
    return 0.1 * sum;
  };
  const auto found = this->factors(muscles);
  EXPECT_GT(std::ranges::min(found.within), 2.5);
  EXPECT_LT(middle_of(found.outside), 1.2);
  const auto limited = this->factors(muscles, {.most = 2});
  EXPECT_EQ(std::ranges::max(limited.within), 2);
  EXPECT_EQ(std::ranges::max(this->factors(muscles, {.most = 1}).within), 1);
}

TYPED_TEST(NoiseOf, AMovingBaselineHasALargeFactorWhereItMoves) {
  const auto found = this->factors([](double t) { return 2 * std::sin(2 * std::numbers::pi * 0.45 * t); });
  EXPECT_GT(middle_of(found.within), 2);
  EXPECT_LT(middle_of(found.outside), 1.2);
}

}  // namespace
}  // namespace beatscan
