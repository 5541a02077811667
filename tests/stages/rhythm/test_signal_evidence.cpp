// Tests what is found in an ECG with a pause, with flutter, with noise and with gaps.
#include "stages/rhythm/signal_evidence.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "app/pipeline/models.h"
#include "app/synthetic/generate.h"
#include "kernels/runtime/error.h"
#include "stages/detect/beat_list.h"
#include "stages/detect/detect.h"
#include "stages/detect/detect_options.h"
#include "stages/io/recording/recording.h"
#include "stages/quality/quality.h"
#include "stages/quality/quality_index.h"
#include "stages/rhythm/episode.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

constexpr double kEcgRate = 250;
constexpr std::int64_t kEcgSecond = 250;
constexpr float kEcgNoise = 0.012F;  // that of the synthetic ECG
using EcgSignal = std::vector<float>;

EcgSignal two_minutes(std::uint64_t seed = 5) {
  EcgSignal x(120 * kEcgSecond);
  SyntheticEcg(std::ssize(x), kEcgRate, 0, seed).render(0, x);
  return x;
}

void make_flat(EcgSignal& x, double from_s, double to_s, float level, float noise = 0) {
  std::mt19937 random(1);
  std::normal_distribution<float> any;
  for (auto i = std::llround(from_s * kEcgRate); i < std::llround(to_s * kEcgRate); ++i)
    x[i] = level + noise * any(random);
}

struct FoundEvidence {
  BeatList beats;
  SignalEvidence evidence;
  SignalQuality quality;
  std::int64_t poor_blocks() const {
    return std::ssize(quality.blocks) - std::ranges::count(quality.blocks, Quality::good);
  }
  std::vector<std::string> labels() const {
    std::vector<std::string> names;
    for (const Episode& its : evidence.episodes) names.emplace_back(name_of(its.label));
    return names;
  }
  // The longest interval, and whether it is silent and known.
  struct Longest {
    double seconds;
    bool silent, broken;
  };
  Longest longest() const {
    std::size_t place = 0;
    const auto length = [&](std::size_t i) { return beats.r_peaks[i + 1] - beats.r_peaks[i]; };
    for (std::size_t i = 0; i < beats.broken.size(); ++i)
      if (length(i) > length(place)) place = i;
    return {length(place) / kEcgRate, evidence.silent[place] == 1, beats.broken[place] == 1};
  }
};

template <class Context>
class Evidence : public OnBackend<Context> {
 protected:
  FoundEvidence of(const std::vector<EcgSignal>& leads,
                   const std::vector<std::pair<std::int64_t, std::int64_t>>& gaps = {}) {
    auto& context = this->context();
    std::vector<std::int64_t> firsts, lasts;
    for (const auto& [first, last] : gaps) {
      firsts.push_back(first);
      lasts.push_back(last);
    }
    Recording<Context> recording;
    for (const auto& x : leads)
      recording.leads.push_back({.samples = from_host(context, x),
                                 .gap_firsts = from_host(context, firsts),
                                 .gap_lasts = from_host(context, lasts)});
    std::vector<LeadSignal> signals;
    for (const auto& lead : recording.leads) signals.push_back({lead.samples, {lead.gap_firsts, lead.gap_lasts}});
    auto detection = detect_r_peaks<Context>(context, signals, {}, {}, kEcgRate);
    const auto profile = std::move(detection.profile);
    const auto index = quality_index(context, recording, quality_model({}), kEcgRate);
    auto found = list_beats(context, recording, std::move(detection), index, {0.25, 0.45}, 0.02, kEcgRate);
    FoundEvidence result{to_host(context, found.beats), {}, {}};
    const BeatsInSignal<Context> signal{recording, profile, result.beats, kEcgRate};
    result.evidence = signal_evidence(context, signal, {found.quality, found.leads, index}, 0.02, {});
    result.quality = std::move(found.quality);
    return result;
  }
};
TYPED_TEST_SUITE(Evidence, Backends, BackendNames);

using Labels = std::vector<std::string>;

TYPED_TEST(Evidence, OfAnEcgIsNone) {
  const auto found = this->of({two_minutes()});
  EXPECT_EQ(found.labels(), Labels{});
  EXPECT_EQ(std::ranges::count(found.evidence.silent, 1), 0);
  EXPECT_EQ(found.evidence.silent.size() + 1, found.beats.r_peaks.size());
}

// Eight seconds at the baseline, exactly or nearly so: the interval is known and silent.
TYPED_TEST(Evidence, AsystoleIsASilentInterval) {
  for (const float noise : {0.0f, 0.003f}) {
    auto x = two_minutes();
    make_flat(x, 60, 68, 0, noise);
    const auto found = this->of({x});
    EXPECT_GT(found.longest().seconds, 8) << noise;
    EXPECT_TRUE(found.longest().silent) << noise;
    EXPECT_FALSE(found.longest().broken) << noise;
    EXPECT_EQ(std::ranges::count(found.evidence.silent, 1), 1) << noise;
    EXPECT_EQ(found.labels(), Labels{}) << noise;
  }
}

// Mains interference, or a drift, that is not there between the beats suggests an electrode that came off.
TYPED_TEST(Evidence, MainsAndDriftAreUncertain) {
  const auto certain = [&](auto&& value_at, float noise = kEcgNoise) {
    auto x = two_minutes();
    make_flat(x, 60, 68, 0, noise);
    for (std::int64_t i = 60 * kEcgSecond; i < 68 * kEcgSecond; ++i)
      x[i] += static_cast<float>(value_at(static_cast<double>(i - 60 * kEcgSecond) / kEcgRate));
    const auto found = this->of({x});
    const auto place = std::ranges::find(found.evidence.silent, 1) - found.evidence.silent.begin();
    return place < std::ssize(found.evidence.silent) ? found.evidence.certain[place] : -1;
  };
  const auto rest = [](double) { return 0; };
  EXPECT_EQ(certain(rest), 1) << "as between beats";
  EXPECT_EQ(certain(rest, 0.1F * kEcgNoise), 0.5F) << "stiller than skin";
  EXPECT_EQ(certain(rest, 1.7F * kEcgNoise), 0.5F) << "noise that is not there between the beats";
  EXPECT_EQ(certain([](double s) { return 0.1 * std::sin(2 * 3.14159265 * 50 * s); }), 0.25F);
  EXPECT_EQ(certain([](double s) { return 0.8 * (1 - std::exp(-s / 2)); }), 0.25F);
}

// An electrode that is off and picks up mains interference is no good signal, wherever it is off.
TYPED_TEST(Evidence, MainsAloneIsNoGoodSignal) {
  for (const double hz : {50, 60})
    for (const auto& [from_s, to_s] : {std::pair{0.0, 20.0}, {60.0, 80.0}, {100.0, 120.0}}) {
      SCOPED_TRACE(testing::Message() << hz << " Hz from " << from_s << " s");
      auto x = two_minutes();
      for (auto i = std::llround(from_s * kEcgRate); i < std::llround(to_s * kEcgRate); ++i)
        x[i] = static_cast<float>(0.3 * std::sin(2 * 3.14159265 * hz * static_cast<double>(i) / kEcgRate));
      const auto found = this->of({x});
      EXPECT_NEAR(static_cast<double>(found.poor_blocks()), 10, 1);
      EXPECT_EQ(found.labels(), Labels{"NOISE"});
      EXPECT_EQ(this->of({x, two_minutes()}).poor_blocks(), 0) << "the other lead is good";
    }
}

// The interference begins with a step, which looks like a beat.
TYPED_TEST(Evidence, MainsBehindAStepIsNoGoodSignal) {
  auto x = two_minutes();
  for (auto i = 60 * kEcgSecond; i < std::ssize(x); ++i)
    x[i] = static_cast<float>(0.5 + 0.1 * std::sin(2 * 3.14159265 * 50 * static_cast<double>(i) / kEcgRate));
  const auto found = this->of({x});
  EXPECT_NEAR(static_cast<double>(found.poor_blocks()), 30, 1);
  EXPECT_EQ(found.labels(), Labels{"NOISE"});
}

// A lead is off while the other shows that the heart stands still: the interval is known.
TYPED_TEST(Evidence, AsystoleIsKnownBesideALeadThatIsOff) {
  auto x = two_minutes(), off = x;
  make_flat(x, 60, 68, 0, 0.003F);
  make_flat(off, 60, 68, 5);
  const auto found = this->of({x, off});
  EXPECT_GT(found.longest().seconds, 8);
  EXPECT_TRUE(found.longest().silent);
  EXPECT_FALSE(found.longest().broken);
  EXPECT_GE(found.evidence.certainty_of(std::ranges::find(found.evidence.silent, 1) - found.evidence.silent.begin()),
            kCertainPause);
}

// A recording with mains interference throughout is as good in a pause as between beats.
TYPED_TEST(Evidence, MainsThatIsAlwaysThereHidesNoPause) {
  auto x = two_minutes();
  make_flat(x, 60, 68, 0, kEcgNoise);
  for (std::int64_t i = 0; i < std::ssize(x); ++i)
    x[i] += static_cast<float>(0.1 * std::sin(2 * 3.14159265 * 50 * static_cast<double>(i) / kEcgRate));
  const auto found = this->of({x});
  EXPECT_TRUE(found.longest().silent);
  EXPECT_EQ(found.poor_blocks(), 0);
  EXPECT_EQ(found.labels(), Labels{});
}

// Eight seconds at an end are treated like those between beats.
TYPED_TEST(Evidence, AsystoleAtAnEnd) {
  auto x = two_minutes();
  EXPECT_EQ(this->of({x}).evidence.certain_start + this->of({x}).evidence.certain_end, 0);
  make_flat(x, 0, 8, 0, kEcgNoise);
  EXPECT_EQ(this->of({x}).evidence.certain_start, 1);
  EXPECT_EQ(this->of({x}).evidence.certain_end, 0);
  make_flat(x, 112, 120, 0, kEcgNoise);
  EXPECT_EQ(this->of({x}).evidence.certain_end, 1);
}

TYPED_TEST(Evidence, AnElectrodeThatIsOffIsAGap) {
  for (const auto& [to_s, level] : {std::pair{68.0, 9.0f}, {100.0, 0.0f}}) {  // far from the baseline, and for too long
    auto x = two_minutes();
    make_flat(x, 60, to_s, level);
    const auto found = this->of({x});
    EXPECT_FALSE(found.longest().silent) << level;
    EXPECT_TRUE(found.longest().broken) << level;
    EXPECT_EQ(found.labels(), Labels{"GAP"}) << level;
    EXPECT_NEAR(found.evidence.episodes[0].start, 60 * kEcgRate, 2 * kEcgRate);
    EXPECT_EQ(found.evidence.episodes[0].beats, 0);
  }
}

TYPED_TEST(Evidence, ABeatInAnotherLeadIsASign) {
  auto x = two_minutes();
  const auto y = x;
  make_flat(x, 60, 68, 0);
  EXPECT_LT(this->of({x, y}).longest().seconds, 2) << "its beats are found";
  EXPECT_EQ(this->of({x, y}).labels(), Labels{}) << "one lead is there";
}

TYPED_TEST(Evidence, NoiseHidesAndIsAnEpisode) {
  auto x = two_minutes();
  std::mt19937 random(3);
  std::normal_distribution<float> any(0, 0.8f);
  for (std::int64_t i = 60 * kEcgSecond; i < 70 * kEcgSecond; ++i) x[i] = any(random);
  const auto found = this->of({x});
  ASSERT_EQ(found.labels(), Labels{"NOISE"});
  EXPECT_NEAR(found.evidence.episodes[0].start, 60 * kEcgRate, 2 * kEcgRate);
  EXPECT_NEAR(found.evidence.episodes[0].end, 70 * kEcgRate, 2 * kEcgRate);
  EXPECT_EQ(found.evidence.episodes[0].quality, Quality::noisy);
  EXPECT_EQ(std::ranges::count(found.evidence.silent, 1), 0);
}

TYPED_TEST(Evidence, WavesOfFourHertzAreFlutterAndOfSixFibrillation) {
  for (const auto& [hz, label] : {std::pair{4.0, "VFL"}, {6.0, "VF"}}) {
    auto x = two_minutes();
    for (std::int64_t i = 60 * kEcgSecond; i < 80 * kEcgSecond; ++i)
      x[i] = static_cast<float>(std::sin(2 * 3.14159265 * hz * static_cast<double>(i) / kEcgRate));
    const auto found = this->of({x});
    ASSERT_EQ(found.labels(), Labels{label});
    EXPECT_NEAR(found.evidence.episodes[0].start, 60 * kEcgRate, 2 * kEcgRate);
    EXPECT_NEAR(found.evidence.episodes[0].end, 80 * kEcgRate, 2 * kEcgRate);
    EXPECT_EQ(this->of({x, two_minutes()}).labels(), Labels{}) << "the other lead shows beats";
  }
}

TYPED_TEST(Evidence, GapsOfAllLeadsAreEpisodes) {
  const auto found = this->of({two_minutes()}, {{10'000, 10'004}, {20'000, 20'499}});  // 0.020 s is bridged
  ASSERT_EQ(found.labels(), Labels{"GAP"});
  EXPECT_EQ(found.evidence.episodes[0].start, 20'000);
  EXPECT_EQ(found.evidence.episodes[0].end, 20'500);
  EXPECT_EQ(found.evidence.episodes[0].quality, Quality::missing);
}

TYPED_TEST(Evidence, OfOtherLeadsThrows) {
  auto& context = this->context();
  Recording<TypeParam> recording;
  recording.leads.push_back({.samples = from_host(context, two_minutes())});
  const EnvelopeProfile<TypeParam> profile{};
  const BeatList beats{};
  SignalQuality best{};
  std::vector<SignalQuality> of_leads;
  const BeatsInSignal<TypeParam> signal{recording, profile, beats, kEcgRate};
  EXPECT_THROW_KIND(signal_evidence<TypeParam>(context, signal, {best, of_leads, {}}, 0.02, {}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
