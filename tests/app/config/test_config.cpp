#include "app/config/config.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/config/config_fields.h"
#include "tests/paths/paths.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

const std::filesystem::path kConfigs = std::filesystem::path(source_folder()) / "configs";

// A value for every option, which is neither the default nor that of the seed configuration.
const char* const kUnusual = R"({
  "seed": 7, "device": "cpu", "method": "r_peaks", "pool": {"kind": "managed", "limit_bytes": 4096},
  "ingest": {"column": "x", "leads": ["II", "3"], "time_column": "t", "delimiter": ";",
             "sample_rate_hz": 123.5, "chunk_bytes": 2048, "on_bad": "skip", "decimal": ",", "skip_lines": 3,
             "variable": "v"},
  "detect": {"band_hz": 14, "sharp_band_hz": 25, "smooth_s": 0.05, "distance_s": 0.2, "edge_s": 0.01, "block_s": 3,
             "level_blocks": 2, "floor_local": 0.2, "floor_peak": 0.001, "keep": 0.3, "t_soon_s": 0.3,
             "t_soon_height": 0.4, "t_late_s": 0.4, "t_late_sharp": 0.3, "t_late_height": 0.9, "search_rounds": 1,
             "search_gap": 1.5, "search_beats": 7, "search_height": 0.25, "search_soonest_s": 0.3, "search_after": 0.3,
             "search_before": 0.4, "search_candidates": 16, "sharp_gap": 1.3,
             "sharp_height": 0.3, "sharp_soonest_s": 0.2, "sharp_before": 0.8, "sharp_least": 1.2, "sharp_most": 1.7, "noise_begins": 14, "noise_full": 8, "blend_begins": 11,
             "blend_full": 7, "blend_band_hz": 30, "noise_rounds": 1, "noise_regained": 0.5, "peak_band_hz": 7, "peak_sigma_s": 0.04,
             "peak_reach_s": 0.08},
  "quality": {"flat_range": 0.1, "clip_s": 0.1, "noisy_rest": 0.4, "noisy_share": 0.6, "noisy_low": 0.2,
              "noisy_high": 0.5, "noisy_between": 0.3, "bridge_s": 0.03,
              "pause_s": 20},
  "rows": {"before_s": 0.2, "after_s": 0.4, "low_hz": 1, "high_hz": 30, "points": 128, "reference_beats": 100},
  "rhythm": {"reference_beats": 60, "reference_quantile": 0.5, "local_beats": 20, "local_share": 0.5, "cap": 8,
             "prev_weight": 0.9, "next_weight": 0.4, "pause_s": 3, "pause_ratio": 1.5, "pause_weight": 2, "typical_spread": 0.1, "regular": 0.1},
  "noise": {"band_hz": 30, "after_s": 0.2, "before_s": 0.1, "reach_s": 3, "most": 4},
  "filter": {"width_s": 0.2, "centred": true, "precision": "float32"},
  "segment": {"window_s": 0.5},
  "embed": {"min_length_s": 0, "max_length_s": 2, "row_span_s": 1.5, "row_points": 64},
  "vae": {"channels": [2, 4], "latents": 3, "kl_weight": 0.5, "learning_rate": 0.02,
          "last_learning_rate": 0.002, "batch_beats": 32, "least_steps": 10, "epochs": 2, "least_beats": 20,
          "train_fraction": 0.5, "generated_beats": 0, "engine": "autograd"},
  "score": {"threshold_deviations": -1.5, "threshold_fraction": 0.1, "median_weight": 2, "nearest_weight": 3,
            "model_weight": 4, "kind_part": 3.5, "few_beats_part": 5.5, "nearest_share": 0.2, "model_beats": 8, "typical_spread": 0.5,
            "most_drift": 0.5},
  "findings": {"template_from_s": -0.09, "template_to_s": 0.2, "template_rest": 0.3, "template_lead_floor": 0.03,
               "template_floor": 0.2, "template_radius": 5, "template_least_radius": 0.06, "template_most_radius": 0.3,
               "template_members": 2, "template_merge": 0.5, "template_most": 20, "template_fewest": 4,
               "template_passes": 3, "template_sample": 1000, "v_distance_weight": 0.6, "v_most_distance": 1.5,
               "v_energy_weight": 0.3, "v_width_weight": 2, "v_early_weight": 0.8, "v_late_weight": 0.2, "v_least_distance": 0.2, "v_odd_distance": 0.1,
               "v_very_odd": 5, "v_odd_width": 0.3,
               "v_usual_early": 0.4, "v_usual_share": 0.01, "v_sibling": 0.2, "v_early_ratio": 0.9, "v_alone": 0.6,
               "v_alone_width_weight": 0.4, "v_alone_late_weight": 0.2, "v_alone_least": 1.2, "v_least_odd": 2,
               "v_noisy_shape": 1, "v_least_odd_in_noise": 4, "v_most_noise": 3, "v_most_shape_noise": 5, "q_distance": 6,
               "s_local_beats": 20, "s_local_quantile": 0.5, "s_change_beats": 20, "s_first_local": 0.8,
               "s_first_recording": 0.7, "s_first_change": 5, "s_rounds": 2, "s_reference_beats": 20,
               "s_scatter_beats": 40, "s_quantile": 0.6, "s_least_early": 0.1, "s_late_weight": 0.4,
               "s_abrupt_weight": 0.5, "s_least": 0.3, "s_scatter": 3, "s_run_after": 3, "s_run_ratio": 0.8,
               "s_run_change": 0.05, "s_settled_beats": 100, "s_settled_end": 4, "s_settled_jump": 1.2,
               "s_settled_ratio": 0.5, "s_settled_last_ratio": 0.4, "s_usual_run": 12, "s_usual_ratio": 0.9,
               "s_usual_slow": 0.3, "s_noise_run": 9, "s_noise_even": 0.2, "f_most_early": 0.2,
               "f_least_distance": 0.2, "f_v_early": 0.4, "f_least_share": 0.3, "f_most_share": 0.5,
               "f_most_aside": 0.5, "width_from_s": -0.1, "width_to_s": 0.15, "width_mean_sigma_s": 0.003,
               "width_beat_sigma_s": 0.005, "group_fewest": 4, "group_share": 0.002, "group_most": 30,
               "usual_few": 100, "usual_least_share": 0.3, "usual_clearly": 0.2,
               "usual_narrower": 0.3, "usual_on_time": 0.4},
  "episodes": {"shortest_rr_s": 0.25, "longest_rr_s": 4, "af_alike": 0.04, "af_share": 0.1, "af_early": 0.8,
               "af_early_reach": 5, "af_alike_rest": 0.06, "af_share_rest": 0.3, "af_partners": 30, "af_around": 20,
               "af_edge_around": 6, "af_fewest": 20, "af_least_s": 60, "af_core": 0.4, "af_least_confidence": 0.3,
               "af_most_breathing": 0.5, "af_most_few_breaths": 1.1, "af_fewest_breaths": 20, "af_join_s": 5,
               "run_beats": 4, "vt_rate_bpm": 120, "svt_rate_bpm": 110, "cycles": 4, "pause_s": 2.5, "asystole_s": 5,
               "slow_bpm": 45, "fast_bpm": 110, "rate_reach": 4, "rate_fewest": 10, "rate_least_s": 60, "rate_join_s": 5, "hrv_covered": 0.9,
               "wide_one_shape": 0.7, "wide_variation": 0.3, "wide_fastest_bpm": 220,
               "regular_variation": 0.2, "regular_covered": 0.7, "regular_beats": 6, "restless_bpm": 90,
               "vf_leakage": 0.4, "vf_leakage_more": 0.7, "vf_rest": 0.2, "vf_rest_more": 0.15, "vf_rest_share": 0.7,
               "vf_slowest_hz": 3, "vf_fastest_hz": 8, "vf_range": 0.3, "vf_block_s": 1, "vf_reach_blocks": 4,
               "vf_join_blocks": 1, "vf_least_blocks": 2, "vfl_leakage": 0.3, "vfl_hz": 4, "silent_least_s": 2,
               "silent_share": 0.3, "silent_beside_s": 0.2, "silent_beats": 6, "unrest_hum": 3, "unrest_hum_share": 0.02,
               "unrest_drift": 4, "unrest_drift_share": 0.2, "doubt_hum": 1.5, "doubt_still": 0.2, "doubt_drift": 3,
               "doubt_drift_share": 0.1, "noise_least_s": 3, "noise_join_s": 1}
})";

Config applied(const std::string& document) {
  Config config;
  apply(config, Json::parse(document), "x.json");
  return config;
}

void expect_refused(const std::string& part, const std::string& document) {
  expect_error(ErrorKind::usage, part, [&] { applied(document); });
}

std::vector<std::string> leaves(const Json& document, const std::string& prefix = "") {
  std::vector<std::string> paths;
  for (const auto& [name, value] : document.items())
    if (value.is_object())
      for (auto& path : leaves(value, prefix + "/" + name)) paths.push_back(path);
    else
      paths.push_back(prefix + "/" + name);
  return paths;
}
Json at(const Json& document, const std::string& path) { return document.at(Json::json_pointer(path)); }

TEST(Config, SurvivesJson) {
  for (const Config& config : {Config{}, applied(kUnusual), load_config("seed", {})}) {
    Config again = applied(kUnusual);
    apply(again, to_json(config), "x.json");
    EXPECT_EQ(to_json(again), to_json(config));
  }
}

TEST(Config, WhatIsWrittenIsWhatIsUsed) { EXPECT_EQ(to_json(applied(kUnusual)), Json::parse(kUnusual)); }

TEST(Config, AnEmptyDocumentChangesNothing) { EXPECT_EQ(to_json(applied("{}")), to_json(Config{})); }

TEST(Config, TheDefaultFileShowsTheDefaults) {
  EXPECT_EQ(contents_of(kConfigs / "default.json"), text_of(to_json(Config{})) + "\n")
      << "write it again: beatscan config show > configs/default.json";
  EXPECT_EQ(to_json(load_config("default", {})), to_json(Config{}));
}

TEST(Config, EveryFieldOfTheSeedFileTakesEffect) {
  const Json seed = Json::parse(contents_of(kConfigs / "seed.json"));
  Config config = applied(kUnusual);
  const Json before = to_json(config);
  apply(config, seed, "seed.json");
  for (const auto& path : leaves(seed)) {
    SCOPED_TRACE(path);
    EXPECT_EQ(at(to_json(config), path), at(seed, path));
    EXPECT_TRUE(!before.contains(Json::json_pointer(path)) || at(before, path) != at(seed, path));
  }
  EXPECT_EQ(to_json(load_config((kConfigs / "seed.json").string(), {})), to_json(load_config("seed", {})));
}

TEST(Config, TheSeedNeedsNoRate) {
  const Config seed = load_config("seed", {});
  for (const Duration size :
       {seed.filter.width, seed.segment.window, seed.embed.min_length, seed.embed.max_length, seed.embed.row_span})
    EXPECT_TRUE(size.in_samples);
}

TEST(Config, UnknownKeysAreNamedWithTheNearest) {
  expect_refused("x.json: unknown key 'vae.epoch'; did you mean 'vae.epochs'?", R"({"vae": {"epoch": 3}})");
  expect_refused("x.json: unknown key 'sed'; did you mean 'seed'?", R"({"sed": 3})");
  expect_refused("x.json: unknown key 'qqqqqqqqqq'; `beatscan config show` lists all", R"({"qqqqqqqqqq": 3})");
  expect_refused("unknown key 'filter.width'; did you mean 'filter.width_s'?", R"({"filter": {"width": 3}})");
  expect_refused("unknown key 'seed.x'", R"({"seed.x": 3})");
}

TEST(Config, WrongTypesAreRefused) {
  expect_refused("x.json: vae.epochs: \"3\" is not a number", R"({"vae": {"epochs": "3"}})");
  expect_refused("vae.epochs: true is not a number", R"({"vae": {"epochs": true}})");
  expect_refused("vae.latents: null is not a number", R"({"vae": {"latents": null}})");
  expect_refused("vae: 3 is not an object", R"({"vae": 3})");
  expect_refused("vae: [] is not an object", R"({"vae": []})");
  expect_refused("filter.centred: 1 is not true or false", R"({"filter": {"centred": 1}})");
  expect_refused("ingest.column: 1.5 is not a column's name", R"({"ingest": {"column": 1.5}})");
  expect_refused("ingest.column: -1 is not a column's name", R"({"ingest": {"column": -1}})");
  expect_refused("vae.channels: 4 is not a list", R"({"vae": {"channels": 4}})");
  expect_refused("vae.channels: [] is not a list", R"({"vae": {"channels": []}})");
  expect_refused("vae.channels: \"4\" is not a number", R"({"vae": {"channels": ["4"]}})");
}

TEST(Config, IntegersAreWhole) {
  expect_refused("vae.epochs: 1.5 is not a whole number", R"({"vae": {"epochs": 1.5}})");
  expect_refused("vae.channels: 4.5 is not a whole number", R"({"vae": {"channels": [4.5]}})");
  expect_refused("filter.width_samples: 30.5 is not a whole number", R"({"filter": {"width_samples": 30.5}})");
  EXPECT_EQ(applied(R"({"vae": {"epochs": 3.0}})").vae.epochs, 3);
  EXPECT_EQ(applied(R"({"vae": {"epochs": null}})").vae.epochs, std::nullopt);
}

TEST(Config, ValuesOutOfRangeAreRefused) {
  expect_refused("vae.epochs: 0 is not in the range 1 to 100000", R"({"vae": {"epochs": 0}})");
  expect_refused("vae.epochs: -3 is not in the range", R"({"vae": {"epochs": -3}})");
  expect_refused("vae.epochs: 99999999999 is not in the range", R"({"vae": {"epochs": 99999999999}})");
  expect_refused("vae.train_fraction: 1.1 is not in the range 0.01 to 1", R"({"vae": {"train_fraction": 1.1}})");
  expect_refused("ingest.chunk_bytes: 1 is not in the range 1024 to 1073741824", R"({"ingest": {"chunk_bytes": 1}})");
  expect_refused("ingest.sample_rate_hz: 0 is not in the range", R"({"ingest": {"sample_rate_hz": 0}})");
  expect_refused("seed: 18446744073709551615 is not in the range", R"({"seed": 18446744073709551615})");
  expect_refused("segment.window_s: 0 is not in the range", R"({"segment": {"window_s": 0}})");
}

TEST(Config, ChoicesAreOfTheirList) {
  expect_refused(R"(device: "gpu" is not one of ["auto","cpu","cuda"] or "cuda:N" or "cuda:N,M,...")",
                 R"({"device": "gpu"})");
  for (const char* name :
       {"cuda:", "cuda:x", "cuda:-1", "cuda:1000", "cpu:1", "cuda:1 ", "cuda:0,", "cuda:,1", "cuda:1,1"})
    expect_refused("is not one of", std::string(R"({"device": ")") + name + R"("})");
  expect_refused(R"(filter.precision: 64 is not one of ["float32","float64"])", R"({"filter": {"precision": 64}})");
}

TEST(Config, ADelimiterIsACharacterThatNumbersDoNotHold) {
  EXPECT_EQ(applied(R"({"ingest": {"delimiter": "\t"}})").ingest.delimiter, "\t");
  EXPECT_EQ(applied(R"({"ingest": {"delimiter": " "}})").ingest.delimiter, " ");
  for (const char* delimiter : {"1", ".", "-", "+", "e", "\\\"", "\\n", "\\r", ",,"})
    expect_refused("ingest.delimiter: ", std::string(R"({"ingest": {"delimiter": ")") + delimiter + "\"}}");
}

TEST(Config, ALengthIsInSecondsOrInSamplesNotBoth) {
  expect_refused("given in seconds and in samples; keep one of them",
                 R"({"filter": {"width_s": 1, "width_samples": 2}})");
  const Config config = applied(R"({"filter": {"width_samples": 31}})");
  EXPECT_EQ(config.filter.width, samples(31));
  EXPECT_EQ(to_json(config)["filter"]["width_samples"], 31);
  EXPECT_FALSE(to_json(config)["filter"].contains("width_s"));
}

TEST(Config, OnlyAnObjectIsAConfiguration) {
  for (const char* document : {"[]", "3", "null", "\"seed\""}) expect_refused("is a JSON object", document);
}

TEST(Config, ASchemaKeyIsPassedOver) { EXPECT_EQ(to_json(applied(R"({"$schema": "x"})")), to_json(Config{})); }

TEST(Config, ANumberIsTheColumnsPosition) {
  const Config config = applied(R"({"ingest": {"column": 1, "time_column": "0"}})");
  EXPECT_EQ(config.ingest.column, WantedLead::at(1));
  EXPECT_EQ(config.ingest.time_column, "0") << "text may be a name";
  EXPECT_EQ(to_json(config)["ingest"]["column"], 1);
  EXPECT_EQ(to_json(config)["ingest"]["time_column"], "0");
  EXPECT_EQ(load_config("", {"ingest.column=1"}).ingest.column, "1") << "as --lead 1";
}

TEST(Config, LeadsAreAutoOrAListOfNamesAndPositions) {
  using Names = std::vector<WantedLead>;
  const auto leads = [](const char* setting) { return load_config("", {setting}).ingest.leads; };
  EXPECT_EQ(leads("ingest.leads=auto"), Names{});
  EXPECT_EQ(leads("ingest.leads=II,V5"), (Names{"II", "V5"}));
  EXPECT_EQ(leads("ingest.leads=[\"a,b\",3]"), (Names{"a,b", WantedLead::at(3)}));
  EXPECT_EQ(leads("ingest.leads=2"), Names{"2"}) << "a name, if there is one";
  EXPECT_EQ(leads("ingest.leads=[\"auto\"]"), Names{"auto"}) << "a lead of that name";
  Config config = load_config("", {"ingest.leads=[\"II\",\"1\",1]"});
  EXPECT_EQ(to_json(config)["ingest"]["leads"], (Json{"II", "1", 1}));
  Config again;
  apply(again, to_json(config), "x");
  EXPECT_EQ(again.ingest.leads, config.ingest.leads);
  EXPECT_EQ(to_json(Config{})["ingest"]["leads"], "auto");
  for (const char* wrong : {"ingest.leads=", "ingest.leads=[]", "ingest.leads=II,,V5", "ingest.leads=-1",
                            "ingest.leads=1.5", "ingest.leads=[[1]]", "ingest.leads=null", "ingest.leads=[\"\"]"})
    expect_error(ErrorKind::usage, "ingest.leads: ", [&] { leads(wrong); });
  config.method = Method::published;
  expect_error(ErrorKind::usage, "ingest.leads: the method published reads one lead", [&] { check_config(config); });
  config.ingest.column = "II";
  EXPECT_NO_THROW(check_config(config));
  EXPECT_TRUE(ingest_options(config).first_lead_alone);
  EXPECT_FALSE(ingest_options(Config{}).first_lead_alone);
}

TEST(ConfigSchema, HasEveryKeyWithMeaningAndDefault) {
  const Json schema = config_schema();
  EXPECT_EQ(schema["additionalProperties"], false);
  Config config;
  for (const auto& field : fields_of(config)) {
    SCOPED_TRACE(field.key);
    const auto dot = field.key.find('.');
    const std::string path =
        dot == field.key.npos ? "/properties/" + field.key
                              : "/properties/" + field.key.substr(0, dot) + "/properties/" + field.key.substr(dot + 1);
    ASSERT_TRUE(schema.contains(Json::json_pointer(path)));
    const Json entry = at(schema, path);
    EXPECT_TRUE(entry.is_object() && (entry.contains("type") || entry.contains("enum"))) << entry;
    EXPECT_FALSE(entry["description"].get<std::string>().empty());
    const Json value = field.get();
    EXPECT_EQ(entry.contains("default"), !value.is_discarded());
    if (!value.is_discarded()) {
      EXPECT_EQ(entry["default"], value);
    }
  }
}

// Expects that the defaults with these settings are refused.
void expect_unfit(const std::string& what, const std::vector<std::string>& settings) {
  expect_error(ErrorKind::usage, what, [&] { check_config(load_config("", settings)); });
}

TEST(CheckConfig, SizesThatDoNotFitEachOther) {
  EXPECT_NO_THROW(check_config(load_config("default", {})));
  EXPECT_NO_THROW(check_config(load_config("seed", {})));
  for (const char* rate : {"60", "1000", "8000"})
    EXPECT_NO_THROW(check_config(load_config("", {std::string("ingest.sample_rate_hz=") + rate})));
  expect_unfit("ingest.sample_rate_hz: 100000.0 Hz: R peaks can be found at 60.0 to 8000.0 Hz",
               {"ingest.sample_rate_hz=100000"});
  expect_unfit("filter.width: 12000 samples are more than the 4096 supported",
               {"method=published", "ingest.sample_rate_hz=100000"});
  expect_unfit("embed.min_length: is more than embed.max_length",
               {"method=published", "ingest.sample_rate_hz=250", "embed.min_length_s=2"});
  expect_unfit("rows.points: 80 is no multiple of 64", {"rows.points=80"});
  expect_unfit("detect.sharp_least: is above detect.sharp_most", {"detect.sharp_least=2"});
  expect_unfit("findings.v_odd_distance: is above findings.v_least_distance", {"findings.v_odd_distance=0.31"});
  expect_unfit("rows.low_hz: is not below rows.high_hz", {"rows.low_hz=5", "rows.high_hz=5"});
  expect_unfit("detect.band_hz: comes to", {"ingest.sample_rate_hz=8000", "detect.band_hz=2"});
  expect_unfit("detect.smooth_s: comes to", {"ingest.sample_rate_hz=8000", "detect.smooth_s=0.2"});
  expect_unfit("detect.peak_reach_s: comes to", {"ingest.sample_rate_hz=8000", "detect.peak_reach_s=0.5"});
  expect_unfit("detect.distance_s: is less than 5 samples", {"ingest.sample_rate_hz=60", "detect.distance_s=0.05"});
  expect_unfit("all three are 0", {"score.median_weight=0", "score.nearest_weight=0", "score.model_weight=0"});
  expect_unfit("vae.channels", {"vae.channels=[3,6]"});
}

}  // namespace
}  // namespace beatscan
