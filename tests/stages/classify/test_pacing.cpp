#include "stages/classify/pacing.h"

#include <algorithm>
#include <cmath>

#include "stages/classify/beat_findings.h"
#include "stages/io/recording/recording.h"
#include "stages/windows/embedded_beats.h"
#include "tests/support/asystole.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

constexpr double kRate_hz = 500;

// An impulse this many milliseconds from the R peak, with a QRS complex 100 ms after it.
Impulse impulse_at(double place_ms, float over_rest = 20) {
  return {static_cast<float>(place_ms * kRate_hz / 1000), over_rest, 1, static_cast<float>(0.1 * kRate_hz), 1};
}

// 60 beats of two templates, 0 and 1 in turn.
struct PacingCase {
  PacingCase() {
    for (int k = 0; k < 60; ++k)
      findings.templates.push_back(k % 2), findings.beat_classes.push_back(BeatClass::normal);
    findings.groups = {{.shape = 0, .beats = 30}, {.shape = 1, .beats = 30}};
    impulses.early.resize(1), impulses.late.resize(1);
  }
  // Puts impulses before the first beats of a template.
  void put(LeadImpulses& lead, int group, int beats, const Impulse& its) {
    for (int i = 0; i < beats; ++i) lead.beats.push_back(2 * i + group), lead.impulses.push_back(its);
  }
  // Returns the chamber that paces the first beat of a template.
  Chamber chamber(int group) {
    find_paced(impulses, kRate_hz, {}, findings);
    return findings.pacing[findings.templates[group]].chamber;
  }
  Findings findings;
  BeatImpulses impulses;
};

TEST(Pacing, OfTheVentriclesMakesQ) {
  PacingCase its;
  its.put(its.impulses.late[0], 1, 30, impulse_at(-60));
  EXPECT_EQ(its.chamber(1), Chamber::ventricles);
  EXPECT_NEAR(its.findings.pacing[1].place_s, -0.06, 1e-6);
  EXPECT_EQ(its.findings.groups[1].beat_class, BeatClass::unknown);
  EXPECT_EQ(its.findings.pacing[0].chamber, Chamber::none);
  EXPECT_EQ(its.findings.groups[0].beat_class, BeatClass::normal);
  for (int k = 0; k < 60; ++k) {
    EXPECT_EQ(its.findings.beat_classes[k], k % 2 ? BeatClass::unknown : BeatClass::normal) << k;
    EXPECT_EQ(its.findings.is_paced(k), k % 2 == 1) << k;
  }
}

TEST(Pacing, OfTheAtriaKeepsClasses) {
  PacingCase its;
  its.put(its.impulses.early[0], 0, 30, impulse_at(-200));
  EXPECT_EQ(its.chamber(0), Chamber::atria);
  EXPECT_EQ(std::ranges::count(its.findings.beat_classes, BeatClass::normal), 60);
  its.put(its.impulses.late[0], 0, 30, impulse_at(-40));
  EXPECT_EQ(its.chamber(0), Chamber::ventricles) << "both are paced";
}

// The R peak is the impulse of an atrium, and the QRS complex follows.
TEST(Pacing, OfTheAtriaOnTheRPeak) {
  PacingCase its;
  Impulse on_peak = impulse_at(0);
  its.put(its.impulses.late[0], 0, 30, on_peak);
  EXPECT_EQ(its.chamber(0), Chamber::ventricles);
  on_peak.next = static_cast<float>(0.2 * kRate_hz);
  its = {};
  its.put(its.impulses.late[0], 0, 30, on_peak);
  EXPECT_EQ(its.chamber(0), Chamber::atria);
  on_peak.over_rest = 10, on_peak.next_change = 0.1F;
  its = {};
  its.put(its.impulses.late[0], 0, 30, on_peak);
  EXPECT_EQ(its.chamber(0), Chamber::none) << "a narrow QRS complex";
}

TEST(Pacing, TakesHalfOfTheBeatsAtOnePlace) {
  PacingCase its;
  its.put(its.impulses.late[0], 0, 15, impulse_at(-60));
  EXPECT_EQ(its.chamber(0), Chamber::ventricles);
  its = {};
  its.put(its.impulses.late[0], 0, 14, impulse_at(-60));
  EXPECT_EQ(its.chamber(0), Chamber::none);
  its = {};
  for (int i = 0; i < 30; ++i)
    its.impulses.late[0].beats.push_back(2 * i), its.impulses.late[0].impulses.push_back(impulse_at(-130 + 4 * i));
  EXPECT_EQ(its.chamber(0), Chamber::none) << "anywhere";
  its = {};
  its.put(its.impulses.late[0], 0, 30, impulse_at(-60, 5));
  EXPECT_EQ(its.chamber(0), Chamber::none) << "out of noise";
}

TEST(Pacing, NoiseDoesNotCount) {
  PacingCase its;
  its.put(its.impulses.late[0], 0, 15, impulse_at(-60));
  for (int i = 15; i < 30; ++i) its.findings.beat_classes[2 * i] = BeatClass::unknown;
  EXPECT_EQ(its.chamber(0), Chamber::ventricles) << "15 of 15";
  its = {};
  its.put(its.impulses.late[0], 0, 9, impulse_at(-60));
  for (int i = 9; i < 30; ++i) its.findings.beat_classes[2 * i] = BeatClass::unknown;
  EXPECT_EQ(its.chamber(0), Chamber::none) << "nine are few";
}

// The first 20 of 30 beats have an impulse. The much later ones keep their class, in a template of their own.
TEST(Pacing, ThatEndsLeavesTheOtherBeats) {
  PacingCase its;
  its.put(its.impulses.late[0], 0, 20, impulse_at(-60));
  EXPECT_EQ(its.chamber(0), Chamber::ventricles);
  const Findings& found = its.findings;
  ASSERT_EQ(found.groups.size(), 3U);
  EXPECT_EQ(found.beat_classes[38], BeatClass::unknown);
  EXPECT_EQ(found.beat_classes[58], BeatClass::normal);
  EXPECT_FALSE(found.is_paced(58));
  for (std::int64_t k = 0; k < 60; ++k)
    EXPECT_EQ(found.beat_classes[k], found.groups[found.templates[k]].beat_class) << "a template has one class: " << k;
  for (std::size_t g = 0; g < 3; ++g)
    EXPECT_EQ(found.groups[g].beats, std::ranges::count(found.templates, static_cast<std::int32_t>(g)));
  EXPECT_EQ(found.groups[0].beats, 30);
  EXPECT_GE(found.groups[1].beats, found.groups[2].beats);
}

TEST(Pacing, OfClicksIsNone) {
  PacingCase its;
  its.put(its.impulses.late[0], 0, 30, impulse_at(-60));
  its.impulses.late[0].elsewhere = 9;
  EXPECT_EQ(its.chamber(0), Chamber::ventricles);
  its = {};
  its.put(its.impulses.late[0], 0, 30, impulse_at(-60));
  its.impulses.late[0].elsewhere = 10;  // in 200 ms; the window has 155 ms
  EXPECT_EQ(its.chamber(0), Chamber::none);
}

TEST(Pacing, IsDeterminedByTheLeadWithMostImpulses) {
  PacingCase its;
  its.impulses.early.push_back(its.impulses.early[0]);
  its.impulses.late.push_back(its.impulses.late[0]);
  its.put(its.impulses.late[0], 0, 20, impulse_at(-50));
  its.put(its.impulses.late[1], 0, 28, impulse_at(-80));
  EXPECT_EQ(its.chamber(0), Chamber::ventricles);
  EXPECT_NEAR(its.findings.pacing[0].place_s, -0.08, 1e-6);
}

TEST(Pacing, IsNoneIfItWasNotSearchedFor) {
  PacingCase its;
  its.impulses = {};
  EXPECT_EQ(its.chamber(0), Chamber::none);
  EXPECT_FALSE(its.findings.is_paced(0));
}

template <class Context>
class ImpulsesOfBeats : public OnBackend<Context> {
 protected:
  // Searches for impulses in leads of 60 s, of which the second and the third have rows, in this order. Each has a
  // spike this many seconds before each R peak.
  BeatImpulses of(const std::vector<double>& before_s, double rate_hz, int beats = 60) {
    auto& context = this->context();
    Recording<Context> recording;
    std::vector<double> r_peaks;
    for (int k = 0; k < beats; ++k) r_peaks.push_back((0.6 + k) * rate_hz);
    for (const double its_s : before_s) {
      std::vector<float> x(static_cast<std::size_t>(61 * rate_hz));
      for (std::size_t n = 0; n < x.size(); ++n) x[n] = 0.003F * static_cast<float>(n % 3);
      for (const double peak : r_peaks) {
        add_wave(x, peak, 0.01 * rate_hz, 1);
        x[std::llround(peak - its_s * rate_hz)] += 0.6F;
      }
      recording.leads.emplace_back();
      recording.leads.back().samples = from_host(context, x);
    }
    EmbeddedBeats<Context> embedded;
    for (const std::int64_t lead : {1, 2}) embedded.leads.emplace_back(), embedded.leads.back().lead = lead;
    return beat_impulses(context, recording, embedded, r_peaks, rate_hz);
  }
};
TYPED_TEST_SUITE(ImpulsesOfBeats, Backends, BackendNames);

TYPED_TEST(ImpulsesOfBeats, AreOfTheLeadsWithRows) {
  const BeatImpulses found = this->of({0.1, 0.2, 0.08}, 360);
  ASSERT_EQ(found.early.size(), 2U);
  EXPECT_EQ(found.early[0].beats.size(), 60U);
  EXPECT_EQ(found.early[0].impulses[7].place, -72);
  EXPECT_TRUE(found.late[0].beats.empty());
  EXPECT_TRUE(found.early[1].beats.empty());
  EXPECT_EQ(found.late[1].beats.size(), 60U);
  EXPECT_EQ(found.late[1].beats.back(), 59);
}

// A deflection near the previous R peak is part of that beat.
TYPED_TEST(ImpulsesOfBeats, AreNotTheBeatBefore) {
  auto& context = this->context();
  std::vector<float> x(61 * 360);
  std::vector<double> r_peaks;
  for (std::size_t n = 0; n < x.size(); ++n) x[n] = 0.003F * static_cast<float>(n % 3);
  for (int k = 0; k < 200; ++k) {
    r_peaks.push_back((0.6 + 0.3 * k) * 360);
    add_wave(x, r_peaks.back(), 0.01 * 360, 1);
    x[std::llround(r_peaks.back())] += 0.6F;
  }
  Recording<TypeParam> recording;
  recording.leads.emplace_back();
  recording.leads.back().samples = from_host(context, x);
  EmbeddedBeats<TypeParam> embedded;
  embedded.leads.emplace_back();
  const BeatImpulses found = beat_impulses(context, recording, embedded, r_peaks, 360);
  EXPECT_LE(found.early[0].beats.size(), 1U);
}

TYPED_TEST(ImpulsesOfBeats, AreNotLookedForAtALowRateOrInFewBeats) {
  EXPECT_TRUE(this->of({0.1, 0.1, 0.1}, 180).late.empty());
  EXPECT_TRUE(this->of({0.1, 0.1, 0.1}, 360, 9).late.empty());
}

}  // namespace
}  // namespace beatscan
