#include "app/output/findings_json.h"

#include <gtest/gtest.h>

#include "app/output/result_facts.h"
#include "tests/support/delineated_result.h"

namespace beatscan {
namespace {

TEST(WavesJson, LeadsOfOneNameHaveAnStLevelEach) {
  const RunResult result = delineated_result();
  Json json = waves_json(result);
  EXPECT_EQ(json["st_mv"], (Json{{"ECG (1)", nullptr}, {"ECG (2)", nullptr}})) << "of one beat in good signal";
  EXPECT_EQ(json["beats"], 1);
  EXPECT_EQ(json["non_conducted_p"], 1);
  EXPECT_TRUE(json["longest_qtc"].is_null());
  RunResult good = result;
  good.beats.found.quality.assign(5, Quality::good);
  good.beats.found.outcomes.assign(5, Outcome::kept);
  good.classes.findings->beat_classes.assign(5, BeatClass::normal);
  for (std::size_t value = 5 * waves::kAmplitudes; value < 10 * waves::kAmplitudes; ++value)
    good.waves.beats->lead_amplitudes[value] *= 2;
  good.waves.summary = summary_of_waves(*good.waves.beats, good.beats.found, *good.classes.findings,
                                        *good.input.sample_rate_hz, good.input.samples);
  json = waves_json(good);
  EXPECT_EQ(json["st_mv"], (Json{{"ECG (1)", -0.05}, {"ECG (2)", -0.1}}));
  EXPECT_EQ(json["pr_ms"], 120);
  EXPECT_EQ(json["qtc_ms"], 435);
  EXPECT_EQ(json["hours"][0]["st_mv"], json["st_mv"]);
}

// A wide QRS complex has a long QT interval, which is none of the sinus rhythm.
TEST(WavesJson, MediansAreThoseOfNormalBeats) {
  RunResult result = delineated_result();
  result.beats.found.quality.assign(5, Quality::good);
  result.beats.found.outcomes.assign(5, Outcome::kept);
  result.classes.findings->beat_classes.assign(5, BeatClass::normal);
  const auto qtc_ms = [&] {
    result.waves.summary = summary_of_waves(*result.waves.beats, result.beats.found, *result.classes.findings,
                                            *result.input.sample_rate_hz, result.input.samples);
    return waves_json(result)["qtc_ms"];
  };
  EXPECT_EQ(qtc_ms(), 435) << "of 420, 430, 440 and 460";
  result.classes.findings->beat_classes[4] = BeatClass::ventricular;
  EXPECT_EQ(qtc_ms(), 430);
  result.classes.findings->beat_classes[0] = BeatClass::supraventricular;
  EXPECT_EQ(qtc_ms(), nullptr) << "of two beats";
}

TEST(WavesJson, WithoutWavesItIsNull) {
  EXPECT_TRUE(waves_json(judged_result()).is_null());
  RunResult result = delineated_result();
  result.waves.beats = BeatWaves();
  result.waves.summary = summary_of_waves(*result.waves.beats, result.beats.found, *result.classes.findings,
                                          *result.input.sample_rate_hz, result.input.samples);
  EXPECT_TRUE(waves_json(result).is_null());
}

TEST(DistinctLeadNames, HaveTheirPlaceWhereTheyAreTheSame) {
  RunResult result = small_result();
  const auto names_of = [&](std::vector<std::string> names) {
    result.input.leads.clear();
    for (auto& name : names) result.input.leads.push_back({.name = std::move(name)});
    return distinct_lead_names(result);
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_of({"I", "II"}), (Names{"I", "II"}));
  EXPECT_EQ(names_of({"ECG", "II", "ECG"}), (Names{"ECG (0)", "II", "ECG (2)"}));
  EXPECT_EQ(names_of({"", ""}), (Names{" (0)", " (1)"}));
  EXPECT_EQ(names_of({"ECG", "ECG", "ECG (1)"}), (Names{"ECG (0)", "ECG (1) (1)", "ECG (1) (2)"}));
}

}  // namespace
}  // namespace beatscan
