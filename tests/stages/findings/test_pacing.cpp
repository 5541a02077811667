#include "stages/findings/pacing.h"

#include <gtest/gtest.h>

#include <cmath>

namespace beatscan {
namespace {

constexpr double kRate_hz = 500;
constexpr Impulse kNoImpulse{NAN, NAN, NAN, NAN, NAN};

// An impulse this many milliseconds from the R peak, with a QRS complex 100 ms behind it.
Impulse impulse_at(double place_ms, float over_rest = 20) {
  return {static_cast<float>(place_ms * kRate_hz / 1000), over_rest, 1, static_cast<float>(0.1 * kRate_hz), 1};
}

// 60 beats of two templates, 0 and 1 in turn.
struct PacingCase {
  PacingCase() {
    for (int k = 0; k < 60; ++k) findings.templates.push_back(k % 2), findings.kinds.push_back(Kind::normal);
    findings.groups = {{.shape = 0, .beats = 30}, {.shape = 1, .beats = 30}};
    impulses.early.assign(1, std::vector<Impulse>(60, kNoImpulse));
    impulses.late = impulses.early;
  }
  // Puts impulses before the first beats of a template.
  void put(std::vector<Impulse>& lead, int group, int beats, const Impulse& its) {
    for (int i = 0; i < beats; ++i) lead[2 * i + group] = its;
  }
  Chamber chamber(int group) {
    tell_paced(impulses, kRate_hz, findings);
    return findings.pacing[group].chamber;
  }
  Findings findings;
  BeatImpulses impulses;
};

TEST(Pacing, OfTheVentriclesMakesQ) {
  PacingCase its;
  its.put(its.impulses.late[0], 1, 30, impulse_at(-60));
  EXPECT_EQ(its.chamber(1), Chamber::ventricles);
  EXPECT_NEAR(its.findings.pacing[1].place_s, -0.06, 1e-6);
  EXPECT_EQ(its.findings.groups[1].kind, Kind::unknown);
  EXPECT_EQ(its.findings.pacing[0].chamber, Chamber::none);
  EXPECT_EQ(its.findings.groups[0].kind, Kind::normal);
  for (int k = 0; k < 60; ++k) EXPECT_EQ(its.findings.kinds[k], k % 2 ? Kind::unknown : Kind::normal) << k;
}

TEST(Pacing, OfTheAtriaKeepsKinds) {
  PacingCase its;
  its.put(its.impulses.early[0], 0, 30, impulse_at(-200));
  EXPECT_EQ(its.chamber(0), Chamber::atria);
  EXPECT_EQ(std::ranges::count(its.findings.kinds, Kind::normal), 60);
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
  for (int i = 0; i < 30; ++i) its.impulses.late[0][2 * i] = impulse_at(-130 + 4 * i);
  EXPECT_EQ(its.chamber(0), Chamber::none) << "anywhere";
  its = {};
  its.put(its.impulses.late[0], 0, 30, impulse_at(-60, 5));
  EXPECT_EQ(its.chamber(0), Chamber::none) << "out of noise";
}

TEST(Pacing, NoiseDoesNotCount) {
  PacingCase its;
  its.put(its.impulses.late[0], 0, 15, impulse_at(-60));
  for (int i = 15; i < 30; ++i) its.findings.kinds[2 * i] = Kind::unknown;
  EXPECT_EQ(its.chamber(0), Chamber::ventricles) << "15 of 15";
  its = {};
  its.put(its.impulses.late[0], 0, 9, impulse_at(-60));
  for (int i = 9; i < 30; ++i) its.findings.kinds[2 * i] = Kind::unknown;
  EXPECT_EQ(its.chamber(0), Chamber::none) << "nine are few";
}

TEST(Pacing, IsToldByTheLeadThatShowsMost) {
  PacingCase its;
  its.impulses.early.push_back(its.impulses.early[0]);
  its.impulses.late.push_back(its.impulses.late[0]);
  its.put(its.impulses.late[0], 0, 20, impulse_at(-50));
  its.put(its.impulses.late[1], 0, 28, impulse_at(-80));
  EXPECT_EQ(its.chamber(0), Chamber::ventricles);
  EXPECT_NEAR(its.findings.pacing[0].place_s, -0.08, 1e-6);
}

TEST(Pacing, IsNoneWhereItWasNotLookedFor) {
  PacingCase its;
  its.impulses = {};
  EXPECT_EQ(its.chamber(0), Chamber::none);
}

}  // namespace
}  // namespace beatscan
