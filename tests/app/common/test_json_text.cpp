#include "app/common/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace beatscan {
namespace {

using AnyJson = nlohmann::json;

// Returns why the text is refused; "" if it is accepted.
std::string refusal_of(const std::string& text) {
  try {
    parse_json<AnyJson>(text);
  } catch (const std::invalid_argument& error) {
    EXPECT_TRUE(parse_json_if_any<AnyJson>(text).is_discarded());
    return error.what();
  }
  return "";
}

TEST(ParseJson, SaysInOneLineWhyItIsNone) {
  EXPECT_EQ(refusal_of("[1e308, -0.5]"), "");
  EXPECT_EQ(refusal_of("[-1e999]"), "number overflow parsing '-1e999'");
  EXPECT_TRUE(refusal_of("{\n\"a\": }").starts_with("parse error at line 2, column 6: "));
}

TEST(ParseJson, KeysAreOncePerObject) {
  EXPECT_EQ(refusal_of(R"({"a": 1, "b": {"a": {"a": 2}}, "c": [{"a": 3}, {"a": 4}]})"), "");
  for (const char* text : {R"({"a": 1, "a": 2})", R"([0, {"b": {"a": {"a": 1}, "c": {}, "\u0061": 2}}])"})
    EXPECT_EQ(refusal_of(text), "the key 'a' occurs twice in one object; keep one of them") << text;
  EXPECT_TRUE(refusal_of(R"({"x\n": 2, "x\n": 3})").starts_with("the key 'x?' "));
}

TEST(ParseJson, NestingHasABound) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(refusal_of(nested(kDeepestJson)), "");
  EXPECT_EQ(refusal_of(nested(100'000)), "nested more than 64 deep");
}

}  // namespace
}  // namespace beatscan
