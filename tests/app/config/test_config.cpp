#include "app/config/config.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/config/config_fields.h"
#include "tests/app/config/unusual_config.h"
#include "tests/paths/paths.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

const std::filesystem::path kConfigs = std::filesystem::path(source_folder()) / "configs";

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

TEST(Config, WholeNumbersAreNotRounded) {
  for (const char* beyond : {"9007199254740993", "9007199254740994"})  // doubles round the first to 2^53
    expect_refused(std::string("seed: ") + beyond + " is not in the range 0 to 9007199254740992",
                   std::string(R"({"seed": )") + beyond + "}");
  EXPECT_EQ(applied(R"({"seed": 9007199254740992})").seed, std::uint64_t{1} << 53);
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
  expect_refused("vae.epochs: -1 is not in the range 0 to 100000", R"({"vae": {"epochs": -1}})");
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

TEST(Config, ADeviceIsWrittenAsItIsRead) {
  for (const char* name : {"auto", "cpu", "cuda", "cuda:0", "cuda:2,0", "cuda:11,3,5"})
    EXPECT_EQ(to_json(applied(std::string(R"({"device": ")") + name + R"("})"))["device"], name);
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
  expect_unfit("rows.low_hz: is not below rows.high_hz", {"rows.low_hz=5", "rows.high_hz=5"});
  expect_unfit("detect.band_hz: comes to", {"ingest.sample_rate_hz=8000", "detect.band_hz=2"});
  expect_unfit("detect.smooth_s: comes to", {"ingest.sample_rate_hz=8000", "detect.smooth_s=0.2"});
  expect_unfit("detect.distance_s: is less than 5 samples", {"ingest.sample_rate_hz=60", "detect.distance_s=0.05"});
  expect_unfit("all three are 0", {"score.median_weight=0", "score.nearest_weight=0", "score.model_weight=0"});
  expect_unfit("vae.channels", {"vae.channels=[3,6]"});
}

}  // namespace
}  // namespace beatscan
