// Detection in noise and in several leads together, against the numpy reference and against one lead.
#include <algorithm>
#include <cmath>
#include <random>

#include "app/synthetic/generate.h"
#include "kernels/runtime/error.h"
#include "stages/detect/detect.h"
#include "stages/detect/detect_options.h"
#include "stages/quality/quality.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/read_npy.h"

namespace beatscan {
namespace {

using Samples = std::vector<float>;
using Peaks = std::vector<double>;

template <class Context>
class DetectLeads : public OnBackend<Context> {
 protected:
  Detection<Context> detection(const std::vector<Samples>& leads, double rate, const DetectRequest& request = {}) {
    auto& context = this->context();
    std::vector<Buffer<float, Context>> memory;
    std::vector<LeadSignal> signals;
    for (const auto& lead : leads) memory.push_back(from_host(context, lead));
    for (const auto& lead : memory) signals.push_back({lead});
    return detect_r_peaks<Context>(context, signals, {}, {}, rate, request);
  }
  Peaks found(const std::vector<Samples>& leads, double rate, const DetectRequest& request = {}) {
    return to_host(this->context(), detection(leads, rate, request).r_peaks);
  }
  static std::filesystem::path noisy() {
    return std::filesystem::path(source_folder()) / "tests/reference/expected/noisy_205";
  }
  static Samples noisy_lead(const std::string& name) {
    return read_npy<float>(noisy() / ("lead_" + name + ".npy")).values;
  }
  static Peaks expected(const std::string& name) {
    return read_npy<double>(noisy() / ("r_peaks_" + name + ".npy")).values;
  }
  static Samples ecg(int seed = 5) {
    Samples x(120 * 250);
    SyntheticEcg(std::ssize(x), 250, 0.1, seed).render(0, x);
    return x;
  }
};
TYPED_TEST_SUITE(DetectLeads, Backends, BackendNames);

void expect_near(const Peaks& found, const Peaks& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

// Expects all beats but those near two places, and at most 1 % more than that.
void expect_no_loss(const Peaks& found, const Peaks& expected, double first = -1e9, double second = -1e9) {
  for (const double beat : expected)
    if (std::abs(beat - first) > 500 && std::abs(beat - second) > 500) {
      EXPECT_TRUE(std::ranges::any_of(found, [=](double peak) { return std::abs(peak - beat) < 1; })) << beat;
    }
  EXPECT_LE(std::ssize(found), std::ssize(expected) + std::ssize(expected) / 100);
}

// A candidate is a sample off where two values differ by rounding alone, and so are the weights of the R peak's band.
TYPED_TEST(DetectLeads, AgreeWithTheReferenceInNoise) {
  const auto first = this->noisy_lead("0"), second = this->noisy_lead("1");
  expect_near(this->found({first}, 360), this->expected("0"), 1);
  expect_near(this->found({second}, 360), this->expected("1"), 1);
  expect_near(this->found({first, second}, 360), this->expected("both"), 1.01);
}

TYPED_TEST(DetectLeads, AreTheSameInWindows) {
  const std::vector<Samples> leads{this->noisy_lead("0"), this->noisy_lead("1")};
  const auto whole = this->detection(leads, 360, {.keep_envelope = true}),
             parts = this->detection(leads, 360, {.keep_envelope = true, .most_window_samples = 1});
  auto& context = this->context();
  EXPECT_EQ(to_host(context, parts.r_peaks), to_host(context, whole.r_peaks));
  EXPECT_EQ(bits_of(to_host(context, parts.envelope)), bits_of(to_host(context, whole.envelope)));
  ASSERT_EQ(whole.quality.size(), 2u);
  for (int l = 0; l < 2; ++l) EXPECT_EQ(parts.quality[l].blocks, whole.quality[l].blocks);
}

// Levels of several leads are on lines between blocks, so that a candidate at the border may become a beat.
TYPED_TEST(DetectLeads, ASilentLeadLosesNoBeat) {
  const auto x = this->ecg();
  const auto alone = this->found({x}, 250);
  ASSERT_GT(alone.size(), 100u);
  expect_no_loss(this->found({x, Samples(x.size(), 0.3f)}, 250), alone);
  expect_no_loss(this->found({Samples(x.size(), 0.0f), x}, 250), alone);
}

TYPED_TEST(DetectLeads, NoiseInOneLeadAddsNoBeatAndLosesNone) {
  const auto x = this->ecg();
  const auto alone = this->found({x}, 250);
  auto noise = x;
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, 1);
  for (std::size_t i = 40 * 250; i < 80 * 250; ++i) noise[i] += normal(random);
  expect_near(this->found({x, noise}, 250), alone, 1);
  expect_near(this->found({noise, x}, 250), alone, 1);
}

// One lead is clean, and the others are noise of the heights and steepness of beats: loose electrodes.
TYPED_TEST(DetectLeads, NoiseInManyLeadsAddsNoBeatAndLosesNone) {
  const auto x = this->ecg();
  const auto alone = this->found({x}, 250);
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, 1);
  std::vector<Samples> leads;
  for (int l = 0; l < 12; ++l) {
    leads.push_back(x);
    for (std::size_t i = 1; l != 4 && i < x.size(); ++i) leads[l][i] = 0.9f * leads[l][i - 1] + normal(random);
  }
  expect_no_loss(this->found(leads, 250), alone);
}

// Nothing in a sine is as steep as a QRS complex.
TYPED_TEST(DetectLeads, ALeadThatIsNoEcgAddsNoBeatAndLosesNone) {
  const auto x = this->ecg();
  const auto alone = this->found({x}, 250);
  auto sine = x;
  for (std::size_t i = 0; i < sine.size(); ++i) sine[i] = 3 * std::sin(0.04f * static_cast<float>(i));
  expect_near(this->found({sine, x}, 250), alone, 1);
  expect_near(this->found({x, sine}, 250), alone, 1);
  EXPECT_FALSE(this->found({sine}, 250).empty()) << "it is searched where no lead may be an ECG";
}

// The lead hardly moves for 20 s, and the other lead continues.
TYPED_TEST(DetectLeads, BeatsGoOnWhereOneLeadIsOff) {
  const auto x = this->ecg();
  const auto alone = this->found({x}, 250);
  auto off = x;
  for (std::size_t i = 40 * 250; i < 60 * 250; ++i) off[i] = 0.01f * x[i];
  expect_no_loss(this->found({off, x}, 250), alone);
}

// An overflow of the converter costs the beat next to it at most.
TYPED_TEST(DetectLeads, OneSampleFarOutLosesNoBeat) {
  auto x = this->ecg();
  const auto without = this->found({x}, 250);
  for (const float value : {1e6f, -1e6f, 1e9f}) {
    x[15'000] = value;
    const auto with = this->found({x}, 250);
    for (const double peak : without)
      if (std::abs(peak - 15'000) > 150) {
        EXPECT_TRUE(std::ranges::any_of(with, [=](double p) { return std::abs(p - peak) < 1; })) << peak;
      }
    EXPECT_LE(with.size(), without.size() + 1);
  }
}

TYPED_TEST(DetectLeads, LeadsOfSeveralLengthsAreRefused) {
  EXPECT_THROW(this->found({Samples(500), Samples(501)}, 250), Error);
  EXPECT_THROW(this->found({}, 250), Error);
}

TYPED_TEST(DetectLeads, ShortLeads) {
  for (const std::size_t n : {1, 2, 10, 600}) EXPECT_TRUE(this->found({Samples(n), Samples(n)}, 250).empty()) << n;
}

}  // namespace
}  // namespace beatscan
