// Tests fibrillation of made-up leads from end to end: which other lead denies it.
#include "stages/episodes/flutter_search.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "app/synthetic/synthetic.h"
#include "stages/beats/detect.h"
#include "stages/beats/detect_options.h"
#include "stages/episodes/episode_options.h"
#include "stages/quality/quality_options.h"
#include "stages/recording/recording.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

constexpr double kSearchRate = 250, kWavesFrom_s = 60, kWavesTo_s = 90;
using SearchedSignal = std::vector<float>;

SearchedSignal beating_lead(float gain = 1) {
  SearchedSignal x(static_cast<std::size_t>(120 * kSearchRate));
  SyntheticEcg(std::ssize(x), kSearchRate, 0, 5).render(0, x);
  for (float& value : x) value *= gain;
  return x;
}

// Changes what lies between kWavesFrom_s and kWavesTo_s; `change` gets the time since the first of them, and the value.
template <class Change>
SearchedSignal with_waves(SearchedSignal x, Change&& change) {
  for (auto i = std::llround(kWavesFrom_s * kSearchRate); i < std::llround(kWavesTo_s * kSearchRate); ++i)
    x[i] = static_cast<float>(change(static_cast<double>(i) / kSearchRate - kWavesFrom_s, x[i]));
  return x;
}

// Waves of 5 Hz that wander in rate and height, as of fibrillation and of tremor.
double waves_at(double t) {
  return (1 + 0.3 * std::sin(1.1 * t)) * std::sin(2 * 3.14159265 * (5 * t + 0.25 * std::sin(0.9 * t)));
}

SearchedSignal fibrillating_lead() {
  return with_waves(beating_lead(), [](double t, float) { return waves_at(t); });
}

SearchedSignal with_white_noise(SearchedSignal x, double deviation) {
  std::mt19937 random(7);
  std::normal_distribution<double> any(0, deviation);
  return with_waves(std::move(x), [&](double, float value) { return value + any(random); });
}

template <class Context>
class FlutterSearch : public OnBackend<Context> {
 protected:
  // Returns the seconds of flutter and fibrillation between kWavesFrom_s and kWavesTo_s.
  double seconds(const std::vector<SearchedSignal>& leads) {
    auto& context = this->context();
    Recording<Context> recording;
    for (const auto& x : leads) recording.leads.push_back({.samples = from_host(context, x)});
    std::vector<LeadSignal> signals;
    for (const auto& lead : recording.leads) signals.push_back({lead.samples});
    const auto detection = detect_r_peaks<Context>(context, signals, {}, {}, kSearchRate);
    std::vector<std::size_t> all(leads.size());
    for (std::size_t l = 0; l < all.size(); ++l) all[l] = l;
    double sum = 0;
    for (const Episode& its :
         flutter_of(context, recording, detection.profile, detection.quality, all, kSearchRate, {}))
      sum += std::min(its.end / kSearchRate, kWavesTo_s) - std::max(its.start / kSearchRate, kWavesFrom_s);
    return sum;
  }
};
TYPED_TEST_SUITE(FlutterSearch, Backends, BackendNames);

TYPED_TEST(FlutterSearch, OfOneLeadAndOfTwoThatAgree) {
  EXPECT_EQ(this->seconds({beating_lead()}), 0);
  EXPECT_GT(this->seconds({fibrillating_lead()}), 25);
  EXPECT_GT(this->seconds({fibrillating_lead(), fibrillating_lead()}), 25);
}

// A lead that becomes noise does not hide it.
TYPED_TEST(FlutterSearch, BesideNoise) {
  const auto noise = with_white_noise(fibrillating_lead(), 1.5);
  EXPECT_GT(this->seconds({fibrillating_lead(), noise}), 20);
  EXPECT_GT(this->seconds({noise, fibrillating_lead()}), 20);
}

// What looks like fibrillation is tremor in one lead where the other one shows beats.
TYPED_TEST(FlutterSearch, TremorBesideBeatsIsNone) {
  EXPECT_EQ(this->seconds({beating_lead(), fibrillating_lead()}), 0);
  EXPECT_EQ(this->seconds({fibrillating_lead(), beating_lead(0.3F)}), 0);
  for (const double noise : {0.1, 0.2, 0.3})  // beats stand out of it
    EXPECT_EQ(this->seconds({fibrillating_lead(), with_white_noise(beating_lead(), noise)}), 0) << noise;
}

// Returns a lead in white noise whose beats come at the intervals that `next` gives, in seconds.
template <class Next>
SearchedSignal beats_in_noise(double deviation, Next&& next) {
  std::vector<double> beats{0};
  while (beats.back() < kWavesTo_s - kWavesFrom_s) beats.push_back(beats.back() + next());
  return with_white_noise(with_waves(beating_lead(),
                                     [&](double t, float) {
                                       double value = 0;
                                       for (const double at : beats)
                                         value += std::exp(-(t - at) * (t - at) / (2 * 0.012 * 0.012));
                                       return value;
                                     }),
                          deviation);
}

// Tests beats as of atrial fibrillation. Irregular beats have to stand out more.
TYPED_TEST(FlutterSearch, TremorBesideIrregularBeatsIsNone) {
  std::mt19937 random(4);
  const auto irregular = [&] { return std::uniform_real_distribution<double>(0.4, 1.1)(random); };
  EXPECT_EQ(this->seconds({fibrillating_lead(), beats_in_noise(0.12, irregular)}), 0);
}

TYPED_TEST(FlutterSearch, WavesAtTheRateOfFibrillationAreNoBeats) {
  EXPECT_EQ(this->seconds({fibrillating_lead(), beats_in_noise(0.15, [] { return 0.4; })}), 0);
  EXPECT_GT(this->seconds({fibrillating_lead(), beats_in_noise(0.15, [] { return 0.25; })}), 20);
}

// A slow heart: between its beats the lead is good and at rest.
TYPED_TEST(FlutterSearch, TremorBesideALeadAtRestIsNone) {
  const auto slow = with_waves(beating_lead(), [random = std::mt19937(3)](double t, float) mutable {
    const double since = std::fmod(t, 4.0) - 2;
    return std::normal_distribution<double>(0, 0.01)(random) + std::exp(-since * since / (2 * 0.012 * 0.012));
  });
  EXPECT_EQ(this->seconds({slow, fibrillating_lead()}), 0);
  EXPECT_EQ(this->seconds({fibrillating_lead(), slow}), 0);
}

// Of three leads most decide.
TYPED_TEST(FlutterSearch, OfThreeLeads) {
  const auto noise = with_white_noise(beating_lead(0), 1);
  EXPECT_GT(this->seconds({fibrillating_lead(), fibrillating_lead(), noise}), 20);
  EXPECT_EQ(this->seconds({noise, fibrillating_lead(), with_white_noise(beating_lead(0), 0.8)}), 0);
}

}  // namespace
}  // namespace beatscan
