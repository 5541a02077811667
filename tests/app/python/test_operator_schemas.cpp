// The declarations of the operators for PyTorch, and the shapes of results without values.
#include <gtest/gtest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "app/python/operators.h"

namespace beatscan {
namespace {

TEST(OperatorSchemas, OptionsAreKeywordsWithoutADefaultOfTheirOwn) {
  const auto all = operators::schemas();
  const auto found = std::ranges::find_if(all, [](const auto& schema) { return schema.starts_with("find_beats("); });
  ASSERT_NE(found, all.end());
  EXPECT_NE(found->find("*, str? config=None, "), found->npos);
  EXPECT_GT(found->find(", float? detect_keep=None"), found->find("*, "));
  EXPECT_LT(found->find(", float? detect_keep=None"), found->npos);
}

TEST(OperatorSchemas, PyTorchTakesAtMost64Arguments) {
  for (const auto& schema : operators::schemas())
    EXPECT_LT(std::ranges::count(schema.substr(0, schema.find("->")), ','), 64) << schema;
}

TEST(OperatorSchemas, TheResponsesTypeIsKnownWithoutMemory) {
  const auto type = [](const char* precision) {
    const Json arguments{{"rate_hz", 250.0}, {"filter_precision", precision}};
    const operators::Call call{"ricker_response", arguments, {{"x", {.sizes = {1000}}}}, {}};
    const auto results = operators::run_operator(call);
    EXPECT_EQ(results[0].second.sizes, std::vector<std::int64_t>{1000});
    EXPECT_EQ(results[0].second.memory, nullptr);
    return results[0].second.type;
  };
  EXPECT_EQ(type("float32"), operators::ArrayType::float32);
  EXPECT_EQ(type("float64"), operators::ArrayType::float64);
}

}  // namespace
}  // namespace beatscan
