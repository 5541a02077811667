#include "app/pipeline/models.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "app/common/json.h"
#include "app/common/sha256.h"
#include "app/pipeline/builtin_models.h"
#include "app/pipeline/model_document.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

// Returns the text of the built-in model after a change.
std::string changed_class_model(const std::function<void(Json&)>& change) {
  Json document = Json::parse(kBuiltinClassModel);
  change(document);
  return document.dump();
}

// The same with the digest of the changed model.
std::string signed_class_model(const std::function<void(Json&)>& change) {
  return changed_class_model([&](Json& model) {
    change(model);
    nlohmann::json parts;
    for (const char* part : {"af_weight", "calibration", "chain", "most_odds", "series"}) parts[part] = model[part];
    model["sha256"] = sha256_of(python_text(parts));
  });
}
std::string changed_trees(const std::function<void(Json& first_round)>& change) {
  return signed_class_model([&](Json& model) { change(model["series"]["noise"][0]); });
}

void expect_class_model_refused(const std::string& why, const std::string& text) {
  expect_error(ErrorKind::input, why, [&] { parse_beat_class_model(text, "m.json"); });
}

TEST(BeatClassModel, TheBuiltInOneIsWhole) {
  const auto model = beat_class_model("");
  EXPECT_EQ(model.noise.size(), model.clean.size());
  EXPECT_GT(model.noise.front().leaf.size(), 100u);
  EXPECT_EQ(model.sha256.size(), 64u);
}

TEST(BeatClassModel, AFileTakesItsPlace) {
  const TemporaryFolder folder;
  const auto path = folder.write("m.json", kBuiltinClassModel);
  EXPECT_EQ(beat_class_model(path).clean.back().leaf, beat_class_model("").clean.back().leaf);
  expect_error(ErrorKind::usage, "none.json", [&] { beat_class_model(folder.path() / "none.json"); });
}

TEST(BeatClassModel, DamageIsNamed) {
  expect_class_model_refused("not a JSON object", "[1]");
  expect_class_model_refused("not a model", "{}");
  expect_class_model_refused("not a model of beat classes",
                             changed_class_model([](Json& m) { m["format"] = "beatscan waves"; }));
  expect_class_model_refused("version 9 instead of", changed_class_model([](Json& m) { m["version"] = 9; }));
  expect_class_model_refused("its classes are not", changed_class_model([](Json& m) { m["classes"] = {"N"}; }));
  expect_class_model_refused("do not have the digest",
                             changed_class_model([](Json& m) { m["series"]["noise"].erase(0); }));
  expect_class_model_refused("out of range", signed_class_model([](Json& m) { m["most_odds"] = -1; }));
  expect_class_model_refused("out of range", signed_class_model([](Json& m) { m["calibration"]["V"]["slope"] = 0; }));
  expect_class_model_refused("out of range", signed_class_model([](Json& m) { m["chain"]["slope"]["X"] = 0; }));
  expect_class_model_refused("out of range", signed_class_model([](Json& m) { m["chain"]["pair"][2][1] = 21; }));
  expect_class_model_refused("do not have the digest",
                             changed_class_model([](Json& m) { m["chain"]["pair"][2][1] = 0.5; }));
  expect_class_model_refused("has other states",
                             signed_class_model([](Json& m) { m["chain"]["pair"][0].push_back(0); }));
  expect_class_model_refused("a series has no round",
                             signed_class_model([](Json& m) { m["series"]["noise"] = Json::array(); }));
}

TEST(BeatClassModel, ATreeThatIsNotWholeIsRefused) {
  for (const char* part : {"first_split", "first_leaf", "feature", "threshold", "left", "right", "nan_left", "leaf"})
    expect_class_model_refused("damaged", changed_trees([&](Json& round) { round[part] = "AAAAAAAA"; }));
  expect_class_model_refused("reads an input that the model does not name",
                             changed_trees([](Json& round) { round["inputs"] = {"rr_s"}; }));
}

TEST(BeatClassModel, AnUnknownColumnIsRefusedWhenTheFileIsRead) {
  const auto with_input = [](const char* name) {
    return changed_trees([&](Json& round) { round["inputs"][0] = name; });
  };
  expect_class_model_refused("m.json: reads the unknown column 'rr_sx'; give classify.model a file",
                             with_input("rr_sx"));
  // The first round has no context.
  expect_class_model_refused("reads the unknown column 'v_share'", with_input("v_share"));
  EXPECT_EQ(parse_beat_class_model(with_input("reference_rr_s"), "m.json").noise[0].inputs[0], "reference_rr_s");
}

}  // namespace
}  // namespace beatscan
