#include "stages/io/recording/missing_codes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/synthetic/generate.h"
#include "stages/io/recording/recording.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Returns a minute of ECG at 250 Hz in whole numbers, around 2048 with 600 a mV.
std::vector<float> counts() {
  std::vector<float> x(60 * 250);
  SyntheticEcg(std::ssize(x), 250, 0, 3).render(0, x);
  for (float& value : x) value = std::round(value * 600 + 2048);
  return x;
}

// Puts a value in place of `length` samples of every 1,175 from `first` on. Returns how many.
std::int64_t lose(std::vector<float>& x, float code, std::int64_t length, std::int64_t first = 300) {
  std::int64_t lost = 0;
  for (auto at = first; at + length <= std::ssize(x); at += 1175, lost += length)
    std::fill_n(x.begin() + at, length, code);
  return lost;
}

template <class Context>
class MissingCodes : public OnBackend<Context> {
 protected:
  Recording<Context> finished(const std::vector<std::vector<float>>& leads, MissingCode code = {}) {
    Recording<Context> recording;
    for (const auto& lead : leads) {
      recording.leads.emplace_back();
      recording.leads.back().name = "V" + std::to_string(recording.leads.size());
      recording.leads.back().samples = from_host(this->context(), lead);
      recording.leads.back().missing = std::ranges::count_if(lead, [](float x) { return std::isnan(x); });
    }
    recording.signal.missing_code = code;
    bridge_and_measure(this->context(), recording, "made");
    return recording;
  }
};
TYPED_TEST_SUITE(MissingCodes, Backends, BackendNames);

TYPED_TEST(MissingCodes, LostSamplesAreFoundByTheirValue) {
  const auto whole = counts();
  const auto [least, most] = std::ranges::minmax(whole);
  for (const float code : {0.f, -1.f, 65535.f, 4095.f * 4 + 3, -32768.f, -9999.f, 1e6f, 1e30f, -3.3e38f})
    for (const std::int64_t length : {1, 2, 5, 14}) {
      SCOPED_TRACE(testing::Message() << length << " samples of " << code);
      auto x = whole;
      const auto lost = lose(x, code, length);
      const auto recording = this->finished({x});
      const auto& lead = recording.leads[0];
      EXPECT_EQ(lead.missing, lost);
      EXPECT_GE(lead.range.min, least);
      EXPECT_LE(lead.range.max, most);
      ASSERT_EQ(recording.signal.warnings.size(), 1);
      EXPECT_NE(recording.signal.warnings[0].find(std::to_string(lost) + " samples are "), std::string::npos)
          << recording.signal.warnings[0];
    }
}

TYPED_TEST(MissingCodes, SeveralCodesAtTheEndsAndBesideGaps) {
  auto x = counts();
  const auto zeros = lose(x, 0, 5), nines = lose(x, -99999, 3, 0);
  x[299] = x[305] = kNan;
  x.back() = 0;
  const auto recording = this->finished({counts(), x});
  EXPECT_EQ(recording.leads[0].missing, 0);
  EXPECT_EQ(recording.leads[1].missing, zeros + nines + 3);
  EXPECT_EQ(recording.signal.warnings.size(), 2);
  EXPECT_GT(recording.leads[1].range.min, 1000);
}

TYPED_TEST(MissingCodes, TwoCodesSideBySideAreFound) {
  for (const auto& [one, other] : {std::pair{-32768.f, 0.f}, {0.f, -32768.f}, {-1.f, 0.f}, {65535.f, 32767.f}}) {
    SCOPED_TRACE(testing::Message() << one << " and " << other);
    auto x = counts();
    const auto lost = lose(x, one, 20) + lose(x, other, 20, 320);
    const auto recording = this->finished({x});
    EXPECT_EQ(recording.leads[0].missing, lost);
    EXPECT_EQ(recording.signal.warnings.size(), 2u);
  }
}

TYPED_TEST(MissingCodes, AUsualCodeMayBeInMostSamples) {
  for (const float code : {0.f, -32768.f}) {
    auto x = counts();
    std::fill_n(x.begin() + 3000, 11'000, code);
    EXPECT_EQ(this->finished({x}).leads[0].missing, 11'000);
  }
  auto x = counts();
  std::fill_n(x.begin() + 3000, 11'000, 12'345.f);
  EXPECT_EQ(this->finished({x}).leads[0].missing, 0) << "not a usual one";
}

TYPED_TEST(MissingCodes, AreFoundInAFewSamplesOfALongRecording) {
  std::vector<float> x;
  for (int minute = 0; minute < 20; ++minute) std::ranges::copy(counts(), std::back_inserter(x));
  x[123'456] = x[123'459] = -32768;
  EXPECT_EQ(this->finished({x}).leads[0].missing, 2);
}

// A code may lie nearer than the others' range where no step is as long as the one to it: here beside a slow baseline.
TYPED_TEST(MissingCodes, ABaselineThatWandersHidesNoUsualCode) {
  auto x = counts();
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += std::round(900 * std::sin(static_cast<float>(i) / 2000));
  const auto lost = lose(x, 0, 5);
  EXPECT_EQ(this->finished({x}).leads[0].missing, lost);
}

TYPED_TEST(MissingCodes, OneSampleFarOutIsNamedAndOneBeyondAllBoundsIsMissing) {
  auto x = counts();
  x[5000] = 10000;
  auto recording = this->finished({x});
  EXPECT_EQ(recording.leads[0].missing, 0);
  ASSERT_EQ(recording.signal.warnings.size(), 1);
  EXPECT_NE(recording.signal.warnings[0].find("1 sample is 10000 (sample 5000), far outside of all others"),
            std::string::npos)
      << recording.signal.warnings[0];
  EXPECT_NE(recording.signal.warnings[0].find("--set ingest.missing=10000"), std::string::npos);
  x[5000] = 1e30f;
  recording = this->finished({x});
  EXPECT_EQ(recording.leads[0].missing, 1);
  EXPECT_LT(recording.leads[0].range.max, 10000);
}

TYPED_TEST(MissingCodes, HugeSamplesOfManyValuesAreMissing) {
  auto x = counts();
  for (std::size_t i = 100; i < x.size(); i += 500) x[i] = (i % 1000 == 100 ? 1e34f : -1e33f) * x[i];
  const auto recording = this->finished({counts(), x});
  EXPECT_EQ(recording.leads[1].missing, 30);
  EXPECT_LT(recording.leads[1].range.max, 10000);
  ASSERT_EQ(recording.signal.warnings.size(), 1);
  EXPECT_NE(recording.signal.warnings[0].find("lead 'V2': 30 samples are a million times as large as the others"),
            std::string::npos)
      << recording.signal.warnings[0];
}

TYPED_TEST(MissingCodes, InfiniteValuesAreNone) {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  for (const std::size_t count : {1, 2, 300}) {
    auto x = counts();
    std::fill_n(x.begin() + 5000, count, kInfinite);
    x[7000] = -kInfinite;
    EXPECT_EQ(this->finished({x}).leads[0].missing, 0) << count;
    lose(x, -32768, 5);
    x[9000] = 1e30f;
    EXPECT_EQ(this->finished({x}).leads[0].missing, 66) << count << ", beside codes";
  }
}

TYPED_TEST(MissingCodes, ValuesOfASignalAreNone) {
  auto clipped = counts();
  for (float& value : clipped) value = std::clamp(value, 2000.f, 2300.f);
  EXPECT_EQ(this->finished({clipped}).leads[0].missing, 0);
  auto around_zero = counts();
  for (float& value : around_zero) value = (value - 2048) / 600;
  lose(around_zero, 0, 5);
  const auto recording = this->finished({around_zero});
  EXPECT_EQ(recording.leads[0].missing, 0);
}

// A pacemaker's spikes are as high as the recorder's range, 70 a minute here.
TYPED_TEST(MissingCodes, SpikesOfAPacemakerAreNone) {
  for (const float rail : {4095.f, 32767.f, 0.f})
    for (const std::int64_t length : {1, 2}) {
      SCOPED_TRACE(testing::Message() << length << " samples of " << rail);
      auto x = counts();
      for (std::int64_t spike = 0; spike < 69; ++spike)
        std::fill_n(
            x.begin() + 60 + std::llround(static_cast<double>(spike) * 250 * 60 / 70) + 37 * spike * spike % 83 - 41,
            length, rail);  // they follow the atria: intervals of 0.7 to 1.0 s and more
      const auto recording = this->finished({x});
      EXPECT_EQ(recording.leads[0].missing, 0);
      ASSERT_EQ(recording.signal.warnings.size(), 1);
      EXPECT_NE(recording.signal.warnings[0].find("far outside of all others"), std::string::npos)
          << recording.signal.warnings[0];
    }
}

// An amplifier clips large beats at uneven times. The signal leads there and back.
TYPED_TEST(MissingCodes, TheRailOfClippedBeatsIsNone) {
  auto x = counts();
  const float rail = std::ranges::max(x) + 30'000;
  for (std::int64_t beat = 0, at = 700; beat < 12; ++beat, at += 600 + 97 * (beat % 5)) {
    std::fill_n(x.begin() + at, 20, rail);
    x[at - 1] = x[at + 20] = 3200;
  }
  EXPECT_EQ(this->finished({x}).leads[0].missing, 0);
}

TYPED_TEST(MissingCodes, TheUsersValueCountsAndADashFindsNone) {
  auto x = counts();
  const auto lost = lose(x, 0, 5);
  EXPECT_EQ(this->finished({x}, {.is_found = false}).leads[0].missing, 0);
  EXPECT_EQ(this->finished({x}, {.value = 0.f}).leads[0].missing, lost);
  lose(x, 2048, 5, 900);
  const auto recording = this->finished({x}, {.value = 2048.f});
  EXPECT_EQ(recording.leads[0].missing, std::ranges::count(x, 2048.f));
  EXPECT_EQ(recording.leads[0].range.min, 0);
  EXPECT_NE(recording.signal.warnings.at(0).find("count as missing (ingest.missing)"), std::string::npos);
}

// The unit of a lead is assumed by its span. Gaps all over leave it what it is.
TYPED_TEST(MissingCodes, GapsInEachSecondLeaveTheSpan) {
  auto x = counts();
  const double span = this->finished({x}).leads[0].span;
  for (std::size_t i = 0; i + 5 < x.size(); i += 231) std::fill_n(x.begin() + i, 5, kNan);
  x.back() = kNan;
  EXPECT_NEAR(this->finished({x}).leads[0].span, span, 0.1 * span);
  std::fill(x.begin() + 5000, x.end() - 1000, kNan);
  EXPECT_NEAR(this->finished({x}).leads[0].span, span, 0.1 * span) << "the line across a long gap does not count";
}

TEST(MissingCodesOfSome, TheFirstLookMissesNoValueThatIsFarOut) {
  auto x = counts();
  lose(x, 0, 5);
  const auto [least, most] = std::ranges::minmax(x);
  for (std::size_t first = 0; first < x.size(); first += 1000)
    EXPECT_TRUE(may_have_far_values(std::span(x).subspan(first, 1000), {least, most}));
  const auto whole = counts();
  const auto [low, high] = std::ranges::minmax(whole);
  EXPECT_FALSE(may_have_far_values(whole, {low, high}));
}

}  // namespace
}  // namespace beatscan
