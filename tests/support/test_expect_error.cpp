#include <stdexcept>

#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

void throw_usage() { throw Error(ErrorKind::usage, "a key"); }

TEST(ExpectThrowKind, AcceptsAnErrorOfTheKindOnly) {
  EXPECT_THROW_KIND(throw_usage(), ErrorKind::usage) << "a message of one's own";
  const auto other = throws_kind("x", "ErrorKind::input", throw_usage, ErrorKind::input);
  EXPECT_FALSE(other);
  EXPECT_STREQ(other.message(),
               "x\nexpected: it throws Error of ErrorKind::input\n  actual: it throws Error of kind usage: a key");
}

TEST(ExpectThrowKind, ShowsWhatCameInstead) {
  const auto message_of = [](const std::function<void()>& action) {
    return std::string(throws_kind("x", "ErrorKind::input", action, ErrorKind::input).message());
  };
  EXPECT_TRUE(message_of([] {}).ends_with("it throws nothing"));
  EXPECT_TRUE(message_of([] { throw std::logic_error("why"); }).ends_with("it throws another exception: why"));
  EXPECT_TRUE(message_of([] { throw 1; }).ends_with("it throws something that is no std::exception"));
}

}  // namespace
}  // namespace beatscan
