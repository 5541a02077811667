#include "app/report/drawing/pack.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/report/page_arrays.h"
#include "kernels/machine/host_threads.h"
#include "kernels/signal/signal_part.h"

namespace beatscan {
namespace {

std::string joined(const PackedArrays& packed) {
  std::string text;
  for (const auto& part : packed.json_parts()) text += part;
  return text;
}

// Returns the bytes of a plane; all 0 for an empty text.
std::vector<std::uint8_t> plane_of(const std::string& base64, std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  if (base64.empty()) return bytes;
  std::vector<std::uint8_t> stream(base64.size());
  const int size = EVP_DecodeBlock(stream.data(), reinterpret_cast<const std::uint8_t*>(base64.data()),
                                   static_cast<int>(base64.size()));
  uLongf length = count;
  EXPECT_EQ(uncompress(bytes.data(), &length, stream.data(), size - std::ranges::count(base64, '=')), Z_OK);
  EXPECT_EQ(length, count);
  return bytes;
}

std::vector<std::int32_t> unpacked(const nlohmann::json& array) {
  const std::size_t count = array["count"];
  std::vector<std::uint32_t> words(count);
  for (std::size_t plane = 0; plane < array["planes"].size(); ++plane) {
    const auto bytes = plane_of(array["planes"][plane], count);
    for (std::size_t i = 0; i < count; ++i) words[i] |= std::uint32_t{bytes[i]} << 8 * plane;
  }
  std::vector<std::int32_t> values(count);
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t value = words[i] >> 1 ^ (0 - (words[i] & 1));
    last = array["type"] == "differences" ? last + value : value;
    values[i] = static_cast<std::int32_t>(last);
  }
  return values;
}

// On any number of threads it is the same text.
TEST(PackedArrays, ComeBackFromTheirText) {
  for (const std::size_t count : {0, 1, 1000, 61'440, 61'441, 200'000}) {
    SCOPED_TRACE(count);
    std::vector<std::int32_t> values(count);
    std::vector<std::uint8_t> flags(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = static_cast<std::int32_t>(i * 2'654'435'761u) >> (i % 3 == 0 ? 1 : 20);
      flags[i] = static_cast<std::uint8_t>(i % 7 == 0);
    }
    PackedArrays packed;
    packed.integers("a", [&] { return values; });
    packed.differences("b", [&] { return values; });
    packed.flags("c", [&] { return flags; });
    const std::string text = joined(packed);
    const auto arrays = nlohmann::json::parse(text);
    EXPECT_EQ(unpacked(arrays["a"]), values);
    EXPECT_EQ(unpacked(arrays["b"]), values);
    EXPECT_EQ(plane_of(arrays["c"]["planes"][0], count), flags);
    const Share one = 1;
    const ShareOfThisThread share(&one);
    EXPECT_EQ(joined(packed), text);
  }
}

// Several at a time, where all are usual ones, or each for itself.
TEST(ArraySteps, AreTheSameTogetherAsOneByOne) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const ArraySteps steps : {ArraySteps{0.3, 1e-3}, {-1e5, 0.5}, {0, 1e-12}, {1e30, 1}, {0, 0}, {0, 1e31}}) {
    std::vector<float> usual;
    for (int i = 0; i < 1003; ++i) usual.push_back(static_cast<float>(steps.offset + steps.step * (0.5 * i - 250)));
    for (const float odd : {1.0F, std::nanf(""), infinity, -infinity, 3e38F, -3e38F}) {
      auto values = usual;
      values[501] = odd;
      const auto together = in_steps(values, steps);
      for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(together[i], steps(values[i])) << odd << " " << i;
    }
  }
}

// A signal of 1 unit on an offset of 1e5, with an artefact and a gap, comes back to half a step.
TEST(ArraySteps, HoldSignalsFarFromZero) {
  const ArraySteps steps{0, 1e-3};
  const std::vector<float> values{1e5f, 1e5f + 1, std::nanf(""), -4e5f, 1e5f, -1, 1e30f};
  PackedArrays packed;
  packed.differences("a", [&] {
    std::vector<std::int32_t> whole(values.size());
    std::ranges::transform(values, whole.begin(), steps);
    return whole;
  });
  const auto found = unpacked(nlohmann::json::parse(joined(packed))["a"]);
  for (const std::size_t i : {0, 1, 3, 4, 5}) EXPECT_NEAR(steps.step * found[i], values[i], 0.51e-3) << i;
  EXPECT_EQ(found[2], ArraySteps::kNone);
  EXPECT_EQ(found[6], ArraySteps::kMost);
  EXPECT_EQ(steps(-1e30f), -ArraySteps::kMost);
}

}  // namespace
}  // namespace beatscan
