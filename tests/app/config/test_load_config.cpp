// Configurations from files and from --set.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/config/config.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

void expect_setting_refused(const std::string& part, const std::string& setting) {
  expect_error(ErrorKind::usage, part, [&] { load_config("", {setting}); });
}

TEST(LoadConfig, BadJsonIsNamedWithItsLine) {
  const TemporaryFolder folder;
  const auto file = folder.write("bad.json", "{\n  \"seed\": 1,\n  oops\n}\n").string();
  expect_error(ErrorKind::usage, "bad.json: parse error at line 3", [&] { load_config(file, {}); });
  for (const char* text : {"", "{", "{} {}", "{'seed': 1}", "\xff"})
    expect_error(ErrorKind::usage, "bad.json: ", [&] { load_config(folder.write("bad.json", text).string(), {}); });
}

TEST(LoadConfig, AFileThatIsNotThereIsNamed) {
  expect_error(ErrorKind::usage, "/nowhere/x.json: cannot be read", [] { load_config("/nowhere/x.json", {}); });
  expect_error(
      ErrorKind::usage,
      "sed: cannot be read (No such file or directory); give a file, or one of the names default and published",
      [] { load_config("sed", {}); });
  expect_error(ErrorKind::usage, "/: is a folder; give a file", [] { load_config("/", {}); });
}

TEST(LoadConfig, SettingsWinOverTheFileAndLaterOnesOverEarlier) {
  const Config config = load_config("seed", {"vae.epochs=5", "vae.epochs=6", "filter.width_s=0.5"});
  EXPECT_EQ(config.vae.epochs, 6);
  EXPECT_EQ(config.filter.width, seconds(0.5));
  EXPECT_EQ(config.segment.window, samples(180));
}

TEST(LoadConfig, ASettingIsJsonOrABareWord) {
  EXPECT_EQ(load_config("", {"ingest.column=MLII"}).ingest.column, "MLII");
  EXPECT_EQ(load_config("", {"ingest.column=\"ML II\""}).ingest.column, "ML II");
  EXPECT_EQ(load_config("", {"ingest.column=2"}).ingest.column, "2");
  EXPECT_EQ(load_config("", {"ingest.column="}).ingest.column, "");
  EXPECT_EQ(load_config("", {"ingest.column=a=b"}).ingest.column, "a=b");
  EXPECT_EQ(load_config("", {"vae.channels=[2, 4]"}).vae.channels, (std::vector<int>{2, 4}));
  EXPECT_FALSE(load_config("", {"filter.centred=false"}).filter.centred);
  EXPECT_EQ(load_config("", {"ingest.sample_rate_hz=null"}).ingest.sample_rate_hz, std::nullopt);
}

TEST(LoadConfig, BadSettingsAreNamed) {
  expect_setting_refused("--set: 'vae.epochs' is not KEY=VALUE", "vae.epochs");
  expect_setting_refused("--set: '=3' is not KEY=VALUE", "=3");
  expect_setting_refused("--set: unknown key 'vae.epoch'; did you mean 'vae.epochs'?", "vae.epoch=3");
  expect_setting_refused("--set: vae.epochs: \"many\" is not a number", "vae.epochs=many");
  expect_setting_refused("--set: vae.epochs: \"\" is not a number", "vae.epochs=");
  expect_setting_refused("unknown key 'vae'", "vae={}");
  expect_setting_refused("ingest.delimiter: ", "ingest.delimiter=\xff\xfe");
}

TEST(LoadConfig, NumbersBeyondEveryRangeAreRefused) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.json", R"({"vae": {"learning_rate": 1e999}})").string();
  expect_error(ErrorKind::usage, "x.json: number overflow parsing '1e999'", [&] { load_config(file, {}); });
  expect_setting_refused("--set: vae.learning_rate: \"1e999\" is not a number", "vae.learning_rate=1e999");
}

TEST(LoadConfig, AKeyTwiceInOneObjectIsRefused) {
  const TemporaryFolder folder;
  const auto load = [&](const char* text) { load_config(folder.write("x.json", text).string(), {}); };
  expect_error(ErrorKind::usage, "x.json: the key 'vae' occurs twice in one object",
               [&] { load(R"({"vae": {"epochs": 2}, "vae": {"learning_rate": 0.01}})"); });
  expect_error(ErrorKind::usage, "the key 'epochs' occurs twice",
               [&] { load(R"({"seed": 1, "vae": {"epochs": 2, "channels": [2], "epochs": 2}})"); });
  EXPECT_NO_THROW(load(R"({"filter": {"width_s": 0.2}, "segment": {"window_s": 0.5}, "quality": {"bridge_s": 0.01}})"));
  EXPECT_NO_THROW(load(R"({"rhythm": {"reference_beats": 60}, "rows": {"reference_beats": 100}})")) << "of two objects";
}

// An error message with a document of many brackets would overflow the stack.
TEST(LoadConfig, DeepNestingIsRefused) {
  const TemporaryFolder folder;
  const std::string brackets(500'000, '['), closed = brackets + std::string(500'000, ']');
  const auto path = folder.write("x.json", "{\"seed\":" + closed + "}");
  expect_error(ErrorKind::usage, "x.json: nested more than 64 deep", [&] { load_config(path.string(), {}); });
  expect_error(ErrorKind::usage, "seed: ", [&] { load_config("", {"seed=" + closed}); });
}

}  // namespace
}  // namespace beatscan
