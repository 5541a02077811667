// Compares episodes and heart rates. The expected numbers are worked by hand from the definitions.
#include "app/evaluation/ec57/episodes_and_rates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/app/evaluation/ec57/marks.h"

namespace beatscan::ec57 {
namespace {

std::string figures_of(const EpisodeQuality& quality) {
  std::string text;
  for (const auto& [heading, value] : episode_row(quality).counts) text += heading + " " + std::to_string(value) + " ";
  return text;
}

TEST(Ec57Episodes, AtrialFibrillationByHand) {
  // 95 s, of which 40 s are found; 20 s, missed; 10 s in learning and 30 s after it, of which the last 10 s are found.
  const Marks reference = {rhythm(29000, "(AFIB"), rhythm(33000, "(N"),    rhythm(40000, "(AFIB"),
                           rhythm(49500, "(AFL"),  rhythm(50000, "(AFIB"), rhythm(52000, "(N")};
  // The last 10 s are in flutter of the atria: false.
  const Marks test = {rhythm(32000, "(AFIB"), rhythm(33000, "(SBR"), rhythm(41000, "(AFIB"), rhythm(42000, "(V2"),
                      rhythm(42100, "(AFIB"), rhythm(45100, "(N"),   rhythm(49500, "(AFIB"), rhythm(50000, "(N")};
  const EpisodeQuality quality = compare_atrial_fibrillation(reference, test, period_to(60000));
  EXPECT_EQ(figures_of(quality), "TPs 2 FN 1 TPp 3 FP 1 ") << "(V2 ends an episode";
  EXPECT_DOUBLE_EQ(quality.reference_s, 30 + 95 + 20);
  EXPECT_DOUBLE_EQ(quality.found_s, 10 + 10 + 30 + 5);
  EXPECT_DOUBLE_EQ(*quality.duration_sensitivity(), 50.0 / 145);
  EXPECT_DOUBLE_EQ(*quality.duration_ppv(), 50.0 / 55);
}

TEST(Ec57Episodes, VentricularFibrillationByHand) {
  const Marks reference = {beat(31000, '['), beat(32000, ']'), beat(35000, '[')};  // the second one to the end, 40000
  const Marks test = {rhythm(31500, "(VF"), beat(31500, '['), rhythm(32500, "(N"), beat(32500, ']')};
  const EpisodeQuality quality = compare_ventricular_fibrillation(reference, test, period_to(40000));
  EXPECT_EQ(figures_of(quality), "TPs 1 FN 1 TPp 1 FP 0 ");
  EXPECT_DOUBLE_EQ(quality.reference_s, 60);
  EXPECT_DOUBLE_EQ(*quality.duration_sensitivity(), 5.0 / 60);
  EXPECT_DOUBLE_EQ(*quality.duration_ppv(), 0.5);
}

Annotation rate(std::int64_t sample, const std::string& text, int subtype = 0) { return {sample, '=', text, subtype}; }

TEST(Ec57Rates, ByHand) {
  const auto reference = measured_rates(Marks{rate(30500, "60"), rate(31500, "80.0"), rate(31500, "5", 1)});
  // 3 off the nearest one, 60; 6 off the nearest one, 80; in the learning period; no number; of another type
  const auto test = measured_rates(
      Marks{rate(20000, "10"), rate(30600, "63"), rate(31100, "74"), rate(31200, "fast"), rate(31300, "1", 1)});
  ASSERT_EQ(reference.size(), 2U);
  const RateComparison comparison = compare_rates(reference, test, period_to(40000));
  EXPECT_EQ(comparison.measurements, 2);
  const Row row = rate_row(comparison);
  EXPECT_DOUBLE_EQ(*row.figures[0].value, std::sqrt((9 + 36) / 2.0) / 70);
  EXPECT_DOUBLE_EQ(*row.figures[1].value, 70);
  EXPECT_EQ(rate_row({}).figures[0].value, std::nullopt);
}

// Without measurements, the reference's beats are measured: 60 and 120 a minute in the two windows of ten seconds.
TEST(Ec57Rates, OfReferenceBeats) {
  const Marks reference = joined({beats(100, 100, "NNNNNNNNN"), beats(950, 50, "NNNNNNN")});
  const auto rates = reference_rates(reference, marked_beats(reference, 15), 100);
  ASSERT_EQ(rates.size(), 2U);
  EXPECT_EQ(rates[0].sample, 950);
  EXPECT_NEAR(rates[0].rate_bpm, 60 * 9 / 8.5, 1e-9);
  EXPECT_NEAR(rates[1].rate_bpm, 120, 1e-9);
}

}  // namespace
}  // namespace beatscan::ec57
