#include "stages/findings/bursts.h"

#include <cmath>
#include <random>

#include "tests/support/backends.h"
#include "tests/support/recorded_leads.h"

namespace beatscan {
namespace {

double narrow(double t) { return std::exp(-t * t / 0.0003) - 0.4 * std::exp(-(t - 0.03) * (t - 0.03) / 0.0003); }

template <class Context>
class Bursts : public OnBackend<Context> {
 protected:
  // Draws 4 s of a line with noise of 5 uV, something at 2 s, and the usual beats at 1 and 3 s.
  template <class Shape>
  static std::vector<float> drawn(double rate_hz, const Shape& shape, unsigned seed = 3, double usual_mv = 1) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise;
    std::vector<float> x;
    for (int i = 0; i < static_cast<int>(4 * rate_hz); ++i) {
      const double t = i / rate_hz - 2;
      const double usual = usual_mv * (narrow(t - 1) + narrow(t + 1));
      x.push_back(static_cast<float>(0.005 * noise(random) + shape(t, noise(random)) + usual));
    }
    return x;
  }
  bool is_burst(const std::vector<std::vector<float>>& leads, double rate_hz) {
    const auto recording = recording_of_leads(this->context(), leads);
    const auto numbers = numbers_below(std::ssize(leads));
    const std::vector<double> r_peaks = {1 * rate_hz, 2 * rate_hz, 3 * rate_hz};
    return are_bursts(this->context(), recording, numbers, r_peaks, {1}, rate_hz) == std::vector<std::uint8_t>{1};
  }
};
TYPED_TEST_SUITE(Bursts, Backends, BackendNames);

double burst(double t, double noise) { return std::abs(t) < 0.05 ? 0.5 * noise : 0; }
double narrow_beat(double t, double) { return narrow(t); }
double wide(double t, double) { return 2 * std::exp(-t * t / 0.003); }
double nothing(double, double) { return 0; }
// A ventricular beat, and hum of 50 Hz and 0.6 mV from end to end.
double in_hum(double t, double noise) { return wide(t, noise) + 0.3 * std::sin(100 * M_PI * t); }

TYPED_TEST(Bursts, AreToldAtAnyRate) {
  for (const double rate : {128.0, 250.0, 360.0, 1000.0}) {
    int told = 0;
    for (unsigned seed = 0; seed < 20; ++seed) told += this->is_burst({this->drawn(rate, burst, seed)}, rate);
    EXPECT_GE(told, rate < 200 ? 14 : 20) << rate;
    EXPECT_FALSE(this->is_burst({this->drawn(rate, narrow_beat)}, rate)) << rate;
    EXPECT_FALSE(this->is_burst({this->drawn(rate, wide)}, rate)) << rate;
  }
}

TYPED_TEST(Bursts, NeedThatNoLeadShowsABeat) {
  const auto bursting = this->drawn(250, burst), resting = this->drawn(250, nothing), beating = this->drawn(250, wide);
  EXPECT_TRUE(this->is_burst({bursting, bursting}, 250));
  EXPECT_TRUE(this->is_burst({bursting, resting}, 250)) << "the usual beats are seen there";
  EXPECT_FALSE(this->is_burst({bursting, beating}, 250));
  const std::vector<float> flat(1000);
  EXPECT_TRUE(this->is_burst({bursting, flat}, 250));
  EXPECT_FALSE(this->is_burst({flat}, 250));
}

TYPED_TEST(Bursts, AreNotToldInHum) {
  for (const double rate : {250.0, 360.0, 1000.0})
    EXPECT_FALSE(this->is_burst({this->drawn(rate, in_hum)}, rate)) << rate;
  EXPECT_FALSE(this->is_burst({this->drawn(360, in_hum, 3, 0)}, 360)) << "without usual beats";
}

TYPED_TEST(Bursts, AreToldBetweenBeatsThatAreNear) {
  const auto between = [](double t, double noise) { return burst(t, noise) + narrow(t - 0.3) + narrow(t + 0.3); };
  EXPECT_TRUE(this->is_burst({this->drawn(360, between)}, 360));
}

// The line before the first sample, and after the last one, is not known; hum beside the beat shows it all the same.
TYPED_TEST(Bursts, AreJudgedByTheKnownSideAtTheEnds) {
  const auto cut = [](std::vector<float> x) {
    x.erase(x.begin(), x.begin() + 1940);
    x.resize(1000);
    return x;
  };
  const auto is_burst = [&](const std::vector<float>& x) {
    const auto recording = recording_of_leads(this->context(), {x});
    const std::vector<std::int64_t> first = {0};
    return are_bursts(this->context(), recording, first, std::vector{60.0}, {0}, 1000) == std::vector<std::uint8_t>{1};
  };
  EXPECT_FALSE(is_burst(cut(this->drawn(1000, in_hum))));
  EXPECT_TRUE(is_burst(cut(this->drawn(1000, burst))));
}

TYPED_TEST(Bursts, AreNotToldInAFewSamples) { EXPECT_FALSE(this->is_burst({{0, 1, 0, 1, 0, 1, 0, 1}}, 1)); }

}  // namespace
}  // namespace beatscan
