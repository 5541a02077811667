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
    folder_.write("out/a/beats.csv", "sample,score,beat_class\n100,1,N\n300,1,V\n500,1,N\n");
    folder_.write("out/b/beats.csv", "sample,score,beat_class\n100,1,V\n300,1,V\n");
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
  std::filesystem::create_directories(folder_.path() / "out/c");
  folder_.write("out/c/summary.json", R"({"sample_rate": {"hz": 250}})");
  folder_.write("out/c/beats.csv", "sample,score,beat_class\n");
  std::filesystem::remove(folder_.path() / "truth/b.csv");
  expect_error(ErrorKind::input,
               "truth: has no annotations for 2 of 3 results, such as b.atr, b.truth.csv or b.csv; add them, or give",
               [&] { compared(); });
  folder_.write("truth/c.atr", "");
  expect_error(ErrorKind::input, "1 of 3 results, such as b.atr, b.truth.csv or b.csv; add it, or give",
               [&] { compared(); });
  for (const char* name : {"truth/a.csv", "truth/c.atr"}) std::filesystem::remove(folder_.path() / name);
  expect_error(ErrorKind::input, "truth: has no annotations for any result, such as a.atr, ", [&] { compared(); });
}

TEST_F(EvaluateBatch, SaysWhatGoesWithABatch) {
  const auto out = folder_.path() / "out", truth = folder_.path() / "truth";
  expect_error(ErrorKind::usage,
               "out is the folder of a batch, so --truth must be a folder with NAME.atr, NAME.truth.csv or NAME.csv "
               "for each of its results; or give one result: " +
                   (out / "a").string(),
               [&] {
                 is_batch({out, truth / "a.csv"});
               });
  expect_error(ErrorKind::input, "nothing: is not there; give a folder with NAME.atr, ", [&] {
    is_batch({out, folder_.path() / "nothing"});
  });
  expect_error(ErrorKind::usage, "truth: is a folder, and " + (out / "a").string() + " is one result; give --truth",
               [&] {
                 is_batch({out / "a", truth});
               });
  for (const auto& any : {truth, truth / "a.csv"})
    expect_error(ErrorKind::input,
                 "truth: has no result with beats, and no folder in it is one; give the folder of a result or", [&] {
                   is_batch({truth, any});
                 });
  EXPECT_FALSE(is_batch({out / "a", truth / "a.csv"}));
  EXPECT_FALSE(is_batch({folder_.path() / "nothing", truth})) << "evaluate_folder says that it is not a folder";
}

}  // namespace
}  // namespace beatscan
