#include "app/output/advisories.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/output/outputs.h"
#include "app/output/result_facts.h"
#include "tests/support/small_result.h"

namespace beatscan {
namespace {

// Returns 100 blocks of a second in good signal, with a beat of class N every `interval` samples at 100 Hz.
RunResult sound_result(double interval = 80) {
  RunResult result = ranked_result();
  result.input.samples = 10'000;
  result.beats.quality = SignalQuality{std::vector<Quality>(100, Quality::good), 100};
  result.beats.lead_quality = {*result.beats.quality};
  auto& found = result.beats.found;
  found.r_peaks.clear();
  for (double peak = 5; peak < 10'000; peak += interval) found.r_peaks.push_back(peak);
  const std::size_t beats = found.r_peaks.size();
  found.broken.assign(beats - 1, 0);
  found.trusted.assign(beats, 1);
  found.quality.assign(beats, Quality::good);
  result.classes.findings = Findings{.beat_classes = std::vector<BeatClass>(beats, BeatClass::normal),
                                     .templates = std::vector<std::int32_t>(beats, 0),
                                     .groups = {{.beats = static_cast<std::int64_t>(beats)}}};
  for (std::size_t i = 0; i < beats; ++i)
    for (const float p : {1.0f, 0.0f, 0.0f, 0.0f}) result.classes.findings->posteriors.push_back(p);
  result.rhythm.findings.emplace();
  return result;
}

// Returns the identifiers in order: "BS130 BS160".
std::string ids(const RunResult& result) {
  std::string all;
  for (const Advisory& its : advisories_of(result)) all += (all.empty() ? "" : " ") + its.id;
  return all;
}

Advisory only(const RunResult& result) {
  const auto all = advisories_of(result);
  EXPECT_EQ(all.size(), 1u) << ids(result);
  return all.empty() ? Advisory{} : all.front();
}

TEST(Advisories, OfASoundResultAreNone) { EXPECT_EQ(ids(sound_result()), ""); }

TEST(Advisories, OfInput) {
  RunResult result = sound_result();
  result.input.warnings = {"a\nb"};
  EXPECT_EQ(only(result).message, "a?b") << "one line";
  EXPECT_EQ(only(result).id, "BS101");
}

TEST(Advisories, OfAUnitThatDoesNotFit) {
  const auto with_spans = [](const std::vector<double>& spans, const char* unit, LeadScale scale) {
    RunResult result = sound_result();
    result.input.leads.clear();
    for (const double span : spans)
      result.input.leads.push_back({.name = "II", .unit = unit, .span = span, .scale = scale});
    return result;
  };
  EXPECT_EQ(only(with_spans({1500}, "mV", {1})).message,
            "the signal spans 1,500 mV in a second or two: check its unit and gain");
  EXPECT_EQ(only(with_spans({0.03}, "mV", {1})).id, "BS111");
  EXPECT_NE(only(with_spans({1e30}, "mV", {1})).message.find("spans 1e+30 mV"), std::string::npos);
  EXPECT_NE(only(with_spans({1e-9}, "mV", {1})).message.find("spans 1e-09 mV"), std::string::npos);
  EXPECT_EQ(ids(with_spans({1500}, "uV", {1e-3})), "");
  EXPECT_EQ(ids(with_spans({1500}, "", {1e-3, true})), "") << "assumed";
  EXPECT_EQ(ids(with_spans({1.2, 0.9, 3000}, "mV", {1})), "") << "most leads fit";
  EXPECT_EQ(ids(with_spans({0}, "mV", {1})), "");
}

TEST(Advisories, OfARateThatNoHeartHas) {
  for (const double interval : {24.5, 239.0}) EXPECT_EQ(ids(sound_result(interval)).find("BS110"), std::string::npos);
  EXPECT_EQ(only(sound_result(23.5)).id, "BS110");
  EXPECT_EQ(only(sound_result(250)).id, "BS110");
}

TEST(Advisories, OfLeads) {
  const auto id_with = [](const auto& change) {
    RunResult result = sound_result();
    change(result);
    return ids(result);
  };
  const auto nature = [&](const SignalNature& its) {
    return id_with([&](RunResult& result) { result.beats.lead_quality[0].nature = its; });
  };
  EXPECT_EQ(nature({.qrs_share = 0.04, .two_levels = 0.5, .even = 0.6}), "");
  EXPECT_EQ(nature({.qrs_share = 0.039}), "BS120");
  EXPECT_EQ(nature({.two_levels = 0.51}), "BS120");
  EXPECT_EQ(nature({.even = 0.61}), "BS120");
  EXPECT_EQ(nature({.rests_at_end = 0.9}), "BS122");
  EXPECT_EQ(id_with([](RunResult& result) { result.beats.leads.clear(); }), "BS121");
  EXPECT_EQ(id_with([](RunResult& result) { result.beats.lead_quality[0].drop_outs = {{150, 160}}; }), "BS123");
}

TEST(Advisories, NameLeadAndTime) {
  RunResult result = sound_result();
  result.beats.lead_quality[0].drop_outs = {{150, 160}, {300, 310}};
  const auto names = distinct_lead_names(result);
  EXPECT_EQ(text_of(only(result), names), "BS123 info: 2 drop-outs to one value, left out (lead 'mV', at 1.5 s)");
  const Json entry = advisories_json({only(result)}, names).front();
  EXPECT_EQ(entry, (Json{{"id", "BS123"},
                         {"severity", "info"},
                         {"message", "2 drop-outs to one value, left out"},
                         {"time_s", 1.5},
                         {"lead", "mV"}}));
  EXPECT_EQ(advisory_text(entry), text_of(only(result), names));
}

TEST(Advisories, HaveNoSemicolon) {
  RunResult result = sound_result();
  result.input.warnings = {"one; two"};
  EXPECT_EQ(only(result).message, "one, two");
}

TEST(Advisories, OfASummaryAreTexts) {
  EXPECT_EQ(advisory_texts(Json{{"warnings", {"of an earlier version"}}}),
            std::vector<std::string>{"of an earlier version"});
  EXPECT_TRUE(advisory_texts(Json::object()).empty());
  const Json entry = {{"id", "BS130"}, {"severity", "caution"}, {"message", "m"}, {"time_s", 2}, {"lead", nullptr}};
  EXPECT_EQ(advisory_texts(Json{{"advisories", Json::array({entry})}}),
            std::vector<std::string>{"BS130 caution: m (at 2.0 s)"});
}

TEST(Advisories, OfPoorSignal) {
  RunResult result = sound_result();
  std::fill_n(result.beats.quality->blocks.begin(), 20, Quality::noisy);
  EXPECT_EQ(ids(result), "");
  result.beats.quality->blocks[20] = Quality::noisy;
  EXPECT_EQ(only(result).message, "only 79 % of the signal is good (quality.csv)");
  EXPECT_EQ(only(result).time_s, 0);
}

TEST(Advisories, OfLeadsThatDisagree) {
  RunResult result = sound_result();
  result.input.leads.push_back({.name = "V5"});
  result.beats.agreement = {.looked = 100, .apart = 5, .first = 0, .second = 1, .first_apart_s = 30};
  EXPECT_EQ(only(result).id, "BS140");
  EXPECT_EQ(only(result).time_s, 30);
  result.beats.agreement = {.early = 0, .late = 1, .delay_s = 0.061};
  EXPECT_EQ(only(result).id, "BS141");
  EXPECT_EQ(only(result).lead, 1u);
}

TEST(Advisories, OfEndsWithoutABeat) {
  RunResult result = sound_result();
  result.input.samples = 10'500;
  EXPECT_EQ(only(result).id, "BS160");
  EXPECT_NEAR(only(result).time_s.value(), 99.25, 0.01);
}

TEST(Advisories, OfPacing) {
  RunResult result = sound_result();
  result.classes.findings->pacing = {{.chamber = Chamber::ventricles}};
  EXPECT_EQ(only(result).message,
            "pacing spikes of the ventricles before 125 beats: class Q, excluded from the rhythm");
}

TEST(Advisories, OfVentricularFibrillation) {
  RunResult result = sound_result();
  result.rhythm.findings->episodes.list = {
      {.start = 100, .end = 400, .label = EpisodeLabel::ventricular_fibrillation, .confidence = 0.5},
      {.start = 1000, .end = 1900, .label = EpisodeLabel::ventricular_flutter},
      {.start = 2000, .end = 9000, .label = EpisodeLabel::atrial_fibrillation, .confidence = 0.1}};
  EXPECT_EQ(only(result).message,
            "ventricular fibrillation or flutter 2 times, up to 9.0 s (confidence 1.00), verify in the strip");
  EXPECT_EQ(only(result).time_s, 10);
}

TEST(Advisories, OfUncertainClasses) {
  RunResult result = sound_result();
  const auto uncertainty = [&](std::int64_t beats, float p) {
    for (std::int64_t i = 0; i < beats; ++i) {
      result.classes.findings->posteriors[4 * i] = p;
      result.classes.findings->posteriors[4 * i + 2] = 1 - p;
    }
  };
  uncertainty(19, 0.5f);
  EXPECT_EQ(ids(result), "") << "9.5 are expected to be wrong";
  uncertainty(21, 0.5f);
  EXPECT_EQ(only(result).id, "BS210");
  std::fill_n(result.classes.findings->beat_classes.begin() + 30, 30, BeatClass::ventricular);
  EXPECT_EQ(ids(result), "") << "there are 30 of class V besides";
  std::ranges::fill(result.classes.findings->beat_classes, BeatClass::normal);
  EXPECT_EQ(ids(result), "BS210");
  result.classes.findings->paced.assign(result.classes.findings->beat_classes.size(), 1);
  EXPECT_EQ(ids(result), "") << "spikes identify paced beats";
}

TEST(Advisories, AreSortedBySeverity) {
  RunResult result = sound_result(23.5);
  result.input.warnings = {"a"};
  result.beats.lead_quality[0].drop_outs = {{150, 160}};
  EXPECT_EQ(ids(result), "BS110 BS101 BS123");
}

TEST(Advisories, OfAListOfBeats) {
  RhythmResult result{.samples = {0, 10, 20}, .warnings = {"listed twice"}};
  result.beats.sample_rate_hz = 100;
  const auto all = advisories_of(result);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].id, "BS110") << "600 a minute";
  EXPECT_EQ(all[1].message, "listed twice");
}

TEST(Advisories, OfAModelThatDoesNotFit) {
  RunResult result = sound_result();
  result.model.source = "m.safetensors";
  result.model.most_drift = 0.25;
  result.model.drift = Drift{.value = 0.3};
  EXPECT_EQ(ids(result), "BS260");
  result.model.drift->value = 0.2;
  EXPECT_EQ(ids(result), "");
}

// Severity info is not a warning on the terminal, and every line is short.
TEST(Advisories, AreShortLines) {
  RunResult result = sound_result(23.5);
  for (const EpisodeLabel label : {EpisodeLabel::atrial_fibrillation, EpisodeLabel::ventricular_tachycardia,
                                   EpisodeLabel::ventricular_fibrillation, EpisodeLabel::asystole})
    for (const double start : {0.0, 1e6})
      result.rhythm.findings->episodes.list.push_back(
          {.start = start, .end = start + 1e6, .label = label, .confidence = 0.125});
  for (const double qrs_share : {0.0, 1.0}) {
    result.beats.lead_quality[0].nature = {.qrs_share = qrs_share, .two_levels = 0.9, .rests_at_end = 0.125};
    result.beats.lead_quality[0].drop_outs.assign(100'000, {150, 160});
    result.beats.leads.clear();
    std::ranges::fill(result.classes.findings->posteriors, 0.25F);
    result.classes.findings->pacing = {{.chamber = Chamber::ventricles}};
    result.beats.agreement = {.looked = 120, .apart = 120, .delay_s = 0.125};
    result.model.source = "m.safetensors";
    for (const auto& all = advisories_of(result); const Advisory& advisory : all)
      EXPECT_LE(advisory.message.size(), 100U) << advisory.message;
  }
}

}  // namespace
}  // namespace beatscan
