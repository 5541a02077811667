#include "app/pipeline/models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "app/common/sha256.h"
#include "app/pipeline/builtin_models.h"
#include "app/pipeline/model_document.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

// Returns the text of the built-in model after a change, with the digest of the changed model.
std::string changed_rhythm_model(const std::function<void(Json&)>& change) {
  Json document = Json::parse(kBuiltinRhythmModel);
  change(document);
  nlohmann::json parts;
  for (const char* part : {"decoding", "regressions", "states"}) parts[part] = document[part];
  document["sha256"] = sha256_of(python_text(parts));
  return document.dump();
}

void expect_rhythm_model_refused(const std::string& why, const std::string& text) {
  expect_error(ErrorKind::input, why, [&] { parse_rhythm_model(text, "m.json"); });
}

TEST(RhythmModelFile, TheBuiltInOneIsWhole) {
  const auto model = rhythm_model("");
  EXPECT_EQ(model.sha256.size(), 64u);
  EXPECT_EQ(std::ranges::count(model.states, "AFIB"), 1);
  EXPECT_GT(model.waves.regression.features.size(), model.intervals.regression.features.size());
  for (const RhythmRecogniser& recogniser : {model.waves, model.intervals})
    for (const RhythmSource& source : recogniser.sources) EXPECT_EQ(source.prior.size(), model.states.size());
  for (const RhythmSource& source : model.intervals.sources)
    EXPECT_EQ(std::ranges::count(source.decides, 1), 1) << "AFIB alone";
  EXPECT_EQ(model.strip_s, 120);
}

TEST(RhythmModelFile, AFileTakesItsPlace) {
  const TemporaryFolder folder;
  const auto path = folder.write("m.json", changed_rhythm_model([](Json& m) { m["decoding"]["strip_s"] = 60; }));
  EXPECT_EQ(rhythm_model(path).strip_s, 60);
  expect_error(ErrorKind::usage, "none.json", [&] { rhythm_model(folder.path() / "none.json"); });
}

TEST(RhythmModelFile, DamageIsNamed) {
  expect_rhythm_model_refused("not a JSON object", "[1]");
  expect_rhythm_model_refused("not a model", "{}");
  const auto refuses = [](const char* why, const std::function<void(Json&)>& change) {
    expect_rhythm_model_refused(why, changed_rhythm_model(change));
  };
  refuses("not a model of rhythms", [](Json& m) { m["format"] = "beatscan waves"; });
  refuses("version 9 instead of", [](Json& m) { m["version"] = 9; });
  refuses("same size", [](Json& m) { m["states"].erase(0); });
  refuses("same size", [](Json& m) { m["regressions"]["waves"]["mean"] = "AAAAAA=="; });
  refuses("whole values", [](Json& m) { m["regressions"]["waves"]["mean"] = "AAA="; });
  refuses("statistic", [](Json& m) { m["regressions"]["waves"]["features"][0][1] = "sum"; });
  refuses("out of range", [](Json& m) { m["regressions"]["waves"]["training_prior"][0] = 0; });
  refuses("out of range", [](Json& m) { m["decoding"]["settings"]["strip"]["stay"] = 1; });
  refuses("decides the rhythm X", [](Json& m) { m["decoding"]["decides"]["holter"] = {"X"}; });
  refuses("a part is missing", [](Json& m) { m["decoding"]["priors"].erase("monitor"); });
  refuses("m.json: 'waves' reads the unknown column 'p_lobe'",
          [](Json& m) { m["regressions"]["waves"]["features"][0][0] = "p_lobe"; });
  refuses("'intervals' reads the unknown column 'pr_ms'",
          [](Json& m) { m["regressions"]["intervals"]["features"][0][0] = "pr_ms"; });
  Json document = Json::parse(kBuiltinRhythmModel);
  document["decoding"]["strip_s"] = 60;
  expect_rhythm_model_refused("do not have the digest", document.dump());
}

}  // namespace
}  // namespace beatscan
