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

void expect_quality_model_refused(const std::string& why, const std::function<void(Json&)>& change) {
  Json document = Json::parse(kBuiltinQualityModel);
  change(document);
  expect_error(ErrorKind::input, why, [&] { parse_quality_model(document.dump(), "q.json"); });
}

TEST(QualityModel, TheBuiltInOneIsWhole) {
  const auto model = quality_model("");
  EXPECT_EQ(model.blocks.trees(), 189);
  EXPECT_EQ(model.blocks.depth, 3);
  EXPECT_EQ(model.recordings.trees(), 40);
  EXPECT_EQ(model.sha256.size(), 64U);
  EXPECT_GT(model.calibration.scale, 0);
}

TEST(QualityModel, AFileTakesItsPlace) {
  const TemporaryFolder folder;
  const auto path = folder.write("q.json", kBuiltinQualityModel);
  EXPECT_EQ(quality_model(path).blocks.value, quality_model("").blocks.value);
  expect_error(ErrorKind::usage, "none.json", [&] { quality_model(folder.path() / "none.json"); });
}

TEST(QualityModel, DamageIsNamed) {
  for (const char* text : {"{", "[]"})
    expect_error(ErrorKind::input, "not a JSON object", [&] { parse_quality_model(text, "q.json"); });
  expect_error(ErrorKind::input, "not a model", [&] { parse_quality_model("{}", "q.json"); });
  expect_quality_model_refused("not a model of signal quality", [](Json& m) { m["format"] = "other"; });
  expect_quality_model_refused("version 2 instead of 1", [](Json& m) { m["version"] = 2; });
  expect_quality_model_refused("trained for another 'features'",
                               [](Json& m) { m["definition"]["features"][3] = "other"; });
  expect_quality_model_refused("trained for another 'block_values'",
                               [](Json& m) { m["definition"]["block_values"] = 200; });
  expect_quality_model_refused("trees of depth 7 instead of 1 to 6", [](Json& m) { m["blocks"]["depth"] = 7; });
  expect_quality_model_refused("another number of classes", [](Json& m) { m["recordings"]["classes"] = 2; });
  expect_quality_model_refused("another size than its depth", [](Json& m) { m["blocks"]["depth"] = 2; });
  expect_quality_model_refused("same number of trees", [](Json& m) { m["blocks"]["feature"].erase(0); });
  expect_quality_model_refused("same number of trees", [](Json& m) {
    for (const char* part : {"feature", "threshold", "value"}) m["blocks"][part].erase(0);
  });
  expect_quality_model_refused("unknown feature", [](Json& m) { m["blocks"]["feature"][0][0] = 19; });
  expect_quality_model_refused("unknown feature", [](Json& m) { m["recordings"]["feature"][0][0] = -1; });
  expect_quality_model_refused("not finite", [](Json& m) { m["blocks"]["value"][0][0] = 1e99; });
  expect_quality_model_refused("a part is missing", [](Json& m) { m["calibration"].erase("scale"); });
  expect_quality_model_refused("scripts/train_fibrillation adds it", [](Json& m) { m.erase("fibrillation"); });
  expect_quality_model_refused("another 'context_blocks'", [](Json& m) { m["fibrillation"]["context_blocks"] = 2; });
  expect_quality_model_refused("unknown feature", [](Json& m) { m["fibrillation"]["forest"]["feature"][0][0] = 57; });
  for (const char* name : {"begins", "ends", "starts"})
    expect_quality_model_refused("not a probability", [=](Json& m) { m["fibrillation"]["chain"][name] = 0; });
  expect_quality_model_refused("digest", [](Json& m) { m["fibrillation"]["chain"]["offset"] = 0.5; });
  expect_quality_model_refused("digest", [](Json& m) { m["calibration"]["offset"] = 0.5; });
  expect_quality_model_refused("digest", [](Json& m) { m["blocks"]["value"][0][0] = 0.5; });
}

}  // namespace
}  // namespace beatscan
