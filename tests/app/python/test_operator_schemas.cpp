// The declarations of the operators for PyTorch: their arguments, and the shapes of results without values.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "tests/app/python/call_operator.h"

namespace beatscan {
namespace {

TEST(OperatorSchemas, OptionsAreKeywordsWithoutADefaultOfTheirOwn) {
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("beatscan::find_beats", "");
  const auto& schema = op.schema();
  const auto keep = schema.argumentIndexWithName("detect_keep");
  ASSERT_TRUE(keep);
  EXPECT_TRUE(schema.arguments()[*keep].kwarg_only());
  EXPECT_TRUE(schema.arguments()[*keep].default_value()->isNone());
}

TEST(OperatorSchemas, TheResponsesShapeIsKnownWithoutMemory) {
  const at::Tensor x = at::empty({1000}, at::device(at::kMeta).dtype(at::kFloat));
  const auto shape = [&](const char* precision) {
    return call("ricker_response", {{"x", x}, {"rate_hz", 250.0}, {"filter_precision", precision}})[0].toTensor();
  };
  EXPECT_EQ(shape("float32").sizes(), x.sizes());
  EXPECT_EQ(shape("float32").scalar_type(), at::kFloat);
  EXPECT_EQ(shape("float64").scalar_type(), at::kDouble);
}

}  // namespace
}  // namespace beatscan
