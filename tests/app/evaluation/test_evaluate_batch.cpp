#include "app/evaluation/evaluate_batch.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

class EvaluateBatch : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b"}) {
      std::filesystem::create_directories(folder_.path() / "out" / name);
      folder_.write(std::string("out/") + name + "/summary.json", R"({"sample_rate": {"hz": 250}})");
    }
    std::filesystem::create_directories(folder_.path() / "truth");
    folder_.write("truth/a.csv", "sample,symbol\n100,N\n300,V\n500,V\n");
    folder_.write("truth/b.csv", "sample,symbol\n100,N\n300,V\n");
    folder_.write("out/a/beats.csv", "sample,score,kind\n100,1,N\n300,1,V\n500,1,N\n");
    folder_.write("out/b/beats.csv", "sample,score,kind\n100,1,V\n300,1,V\n");
  }
  nlohmann::ordered_json compared() { return to_json(evaluate_batch(request())); }
  EvaluateRequest request() { return {folder_.path() / "out", folder_.path() / "truth"}; }
  TemporaryFolder folder_;
};

TEST_F(EvaluateBatch, AddsUpAndAverages) {
  ASSERT_TRUE(is_batch(request()));
  const auto json = compared();
  EXPECT_EQ(json["records"].size(), 2U);
  EXPECT_EQ(json["gross"]["detection"]["tp"], 5);
  EXPECT_EQ(json["gross"]["kinds"]["V"]["tp"], 2);
  EXPECT_DOUBLE_EQ(json["gross"]["kinds"]["V"]["sensitivity"], 2.0 / 3);
  EXPECT_DOUBLE_EQ(json["average"]["kinds"]["V"]["sensitivity"], 0.75) << "of 1/2 and 1";
  EXPECT_DOUBLE_EQ(json["average"]["kinds"]["V"]["ppv"], 0.75);
  EXPECT_TRUE(json["average"]["kinds"]["S"]["sensitivity"].is_null());
  EXPECT_EQ(json["average"]["kinds"]["S"]["records_with_sensitivity"], 0);
}

TEST_F(EvaluateBatch, SaysWhatIsMissing) {
  std::filesystem::remove(folder_.path() / "truth/b.csv");
  expect_error(ErrorKind::input, "has neither b.atr nor b.csv", [&] { compared(); });
  const EvaluateRequest empty{folder_.path() / "truth", folder_.path() / "truth"};
  expect_error(ErrorKind::input, "has no beats.csv", [&] { evaluate_batch(empty); });
  EXPECT_FALSE(is_batch({folder_.path() / "out/a", folder_.path() / "truth"}));
}

}  // namespace
}  // namespace beatscan
