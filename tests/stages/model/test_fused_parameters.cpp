#include "stages/model/fused_engine.h"

#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>

#include "stages/model/torch/vae_engine.h"
#include "stages/model/torch/vae_module.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

// LibTorch rounds a product and a sum at once where the processor can do that, and one after the other elsewhere.
constexpr float kRounding = 6e-8f;

// Compares with LibTorch itself.
TEST(InitialParameters, AreThoseOfLibTorch) {
  for (const std::uint64_t seed : {0ull, 1ull, 42ull, (7ull << 32) + 3}) {
    SCOPED_TRACE(seed);
    torch::manual_seed(seed);
    const auto expected = parameters_of(VaeModule(VaeOptions{}, 256));
    const auto found = named_parameters(initial_parameters(seed));
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& array : expected) {
      const auto its = std::ranges::find(found, array.name, &NamedArray::name);
      ASSERT_NE(its, found.end()) << array.name;
      EXPECT_EQ(its->shape, array.shape) << array.name;
      ASSERT_EQ(its->values.size(), array.values.size()) << array.name;
      for (std::size_t i = 0; i < array.values.size(); ++i)
        EXPECT_NEAR(its->values[i], array.values[i], kRounding) << array.name << " " << i;
    }
  }
}

TEST(FlatParameters, AreTheNamedOnesAgain) {
  const auto flat = initial_parameters(3);
  auto arrays = named_parameters(flat);
  std::ranges::reverse(arrays);
  EXPECT_EQ(flat_parameters(arrays), flat);
  auto other = arrays;
  other.pop_back();
  EXPECT_THROW_KIND(flat_parameters(other), ErrorKind::internal);
  other = arrays;
  std::swap(other[0].shape, other[2].shape);
  EXPECT_THROW_KIND(flat_parameters(other), ErrorKind::internal);
  other = arrays;
  other[1].name = "conv9.bias";
  EXPECT_THROW_KIND(flat_parameters(other), ErrorKind::internal);
  EXPECT_THROW_KIND(named_parameters(std::span(flat).first(10)), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
