#include "app/pipeline/models.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "app/common/json.h"
#include "app/pipeline/builtin_models.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

// Returns the text of the built-in model after a change.
std::string changed(const std::function<void(Json&)>& change) {
  Json document = Json::parse(kBuiltinWaveModel);
  change(document);
  return document.dump();
}

void expect_refused(const std::string& why, const std::string& text) {
  expect_error(ErrorKind::input, why, [&] { parse_wave_model(text, "m.json"); });
}

TEST(WaveModel, TheBuiltInOneIsWhole) {
  const auto model = wave_model("");
  EXPECT_EQ(std::ssize(model.net.weights), waves::number_of_weights(model.net.channels));
  EXPECT_EQ(model.sha256.size(), 64U);
}

TEST(WaveModel, ItsConfidenceIsThatOfThisProgram) {
  const Json confidence = Json::parse(kBuiltinWaveModel).at("confidence");
  EXPECT_EQ(
      confidence.at("constants"),
      Json({{"places", waves::kLevelPlaces}, {"reach", waves::kConfidenceReach}, {"least_p", waves::kMinPConfidence}}));
  const auto model = wave_model("").confidence;
  EXPECT_EQ(model.waves[waves::kMaskP].inputs[3].weight, confidence.at("P").at("inputs").at(3).at("weight"));
  EXPECT_EQ(model.waves[waves::kMaskT].bias, confidence.at("T").at("bias"));
  EXPECT_EQ(model.waves[waves::kMaskT].inputs[3].weight, 0) << "T waves have three inputs";
}

TEST(WaveModel, AFileTakesItsPlace) {
  const TemporaryFolder folder;
  const auto path = folder.write("m.json", kBuiltinWaveModel);
  EXPECT_EQ(wave_model(path).net.weights, wave_model("").net.weights);
  expect_error(ErrorKind::usage, "none.json", [&] { wave_model(folder.path() / "none.json"); });
}

TEST(WaveModel, DamageIsNamed) {
  expect_refused("not a JSON object", "{");
  expect_refused("not a JSON object", "[]");
  expect_refused("not a model", "{}");
  expect_refused("not a model of P, QRS and T waves", changed([](Json& m) { m["format"] = "other"; }));
  expect_refused("version 1 instead of 2", changed([](Json& m) { m["version"] = 1; }));
  expect_refused("trained for another 'input'", changed([](Json& m) { m["input"]["r_index"] = 120; }));
  expect_refused("trained for another 'confidence'",
                 changed([](Json& m) { m["confidence"]["constants"]["reach"] = 9; }));
  expect_refused("the confidence of T waves has other inputs",
                 changed([](Json& m) { m["confidence"]["T"]["inputs"].erase(0); }));
  expect_refused("the confidence of P waves has other inputs",
                 changed([](Json& m) { m["confidence"]["P"]["inputs"][0]["name"] = "other"; }));
  expect_refused("the confidence of P waves has other inputs",
                 changed([](Json& m) { m["confidence"]["P"]["inputs"][1]["scale"] = 0; }));
  expect_refused("a part is missing", changed([](Json& m) { m["confidence"]["QRS"].erase("bias"); }));
  expect_refused("four numbers of channels", changed([](Json& m) { m["size"] = {6, 8, 10}; }));
  expect_refused("25 channels instead of 1 to 24", changed([](Json& m) { m["size"][3] = 25; }));
  expect_refused("weights of its layers", changed([](Json& m) { m["size"][3] = 13; }));
  expect_refused("weights of its layers", changed([](Json& m) { m["weights"] = "!"; }));
  expect_refused("digest", changed([](Json& m) {
                   auto weights = m["weights"].get<std::string>();
                   weights[10] = weights[10] == 'A' ? 'B' : 'A';
                   m["weights"] = weights;
                 }));
}

}  // namespace
}  // namespace beatscan
