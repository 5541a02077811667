#include "stages/findings/repeats.h"

#include <algorithm>
#include <cmath>

#include "tests/support/backends.h"
#include "tests/support/recorded_leads.h"

namespace beatscan {
namespace {

constexpr int kRepeatsRate_hz = 250;

// A minute of ECG, rounded to 5 uV as a converter does.
std::vector<float> ecg() {
  auto x = synthetic_minute(kRepeatsRate_hz, 0);
  for (float& value : x) value = std::round(200 * value) / 200;
  return x;
}

template <class Context>
class RepeatedSamples : public OnBackend<Context> {
 protected:
  // Looks beside a beat at 30.3 s, and beside others.
  Repeats repeats(const std::vector<float>& x) {
    RecordedLead<Context> lead;
    lead.samples = from_host(this->context(), x);
    std::vector<double> r_peaks;
    for (int i = 0; i < 20; ++i) r_peaks.push_back((5.0 + i) * kRepeatsRate_hz);
    r_peaks.push_back(30.3 * kRepeatsRate_hz);
    const std::vector<std::int64_t> asked = {20};
    return repeats_beside(this->context(), lead, r_peaks, asked, numbers_below(20), kRepeatsRate_hz);
  }
};
TYPED_TEST_SUITE(RepeatedSamples, Backends, BackendNames);

// Writes the samples before 30 s twice.
std::vector<float> with_repeated(std::vector<float> x, int count) {
  const std::vector<float> copy(x.begin() + 30 * kRepeatsRate_hz - count, x.begin() + 30 * kRepeatsRate_hz);
  x.insert(x.begin() + 30 * kRepeatsRate_hz, copy.begin(), copy.end());
  return x;
}

TYPED_TEST(RepeatedSamples, OfAQuarterOfASecondAreTold) {
  EXPECT_EQ(this->repeats(ecg()).beats, 0);
  for (const int count : {64, 100, 250}) {
    const Repeats its = this->repeats(with_repeated(ecg(), count));
    EXPECT_EQ(its.beats, 1) << count;
    EXPECT_EQ(its.asked, 1);
    EXPECT_EQ(its.first_lag_samples, count);
    EXPECT_NEAR(its.first_sample, 30 * kRepeatsRate_hz, 3) << "a value or two may be equal by chance";
  }
  EXPECT_EQ(this->repeats(with_repeated(ecg(), 50)).beats, 0) << "0.2 s";
}

// Lags are compared several at a time: the last ones, which are fewer, count as well.
TYPED_TEST(RepeatedSamples, AreToldAtAnyLag) {
  for (int count = 64; count <= 300; count += count == 64 ? 1 : 13)
    EXPECT_EQ(this->repeats(with_repeated(ecg(), count)).first_lag_samples, count);
  const int latest = std::lround(1.2 * kRepeatsRate_hz);
  EXPECT_EQ(this->repeats(with_repeated(ecg(), latest)).first_lag_samples, latest);
  EXPECT_EQ(this->repeats(with_repeated(ecg(), latest + 1)).beats, 0);
}

TYPED_TEST(RepeatedSamples, OfALineAtRestCountNot) {
  auto x = ecg();
  std::fill(x.begin() + 28 * kRepeatsRate_hz, x.begin() + 33 * kRepeatsRate_hz, 0.0F);
  EXPECT_EQ(this->repeats(x).beats, 0);
}

TYPED_TEST(RepeatedSamples, OfASimulatorWithoutNoiseCountNot) {
  std::vector<float> x;
  const auto one = ecg();
  while (x.size() < 60 * kRepeatsRate_hz) x.insert(x.end(), one.begin(), one.begin() + kRepeatsRate_hz);
  EXPECT_EQ(this->repeats(x).beats, 0);
}

}  // namespace
}  // namespace beatscan
