// The real program's messages on command lines that cannot be parsed.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/run_program.h"

namespace beatscan {
namespace {

TEST(CliMessages, OfWrongCommandLinesHaveTheFormatThatIsAskedFor) {
  using Words = std::vector<std::string>;
  for (const auto& [words, start] :
       {std::pair<Words, std::string>{{"run", "x.csv", "--frob", "--log-format", "json"}, "'--frob' is not an option"},
        {{"foo", "--log-format=json"}, "'foo' is not a command"}}) {
    const auto result = run_program(words);
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.err.find("{\"level\":\"error\",\"message\":\"" + start), 0u) << result.err;
  }
  EXPECT_EQ(run_program({"foo", "--log-format", "text"}).err.find("error: 'foo'"), 0u);
}

}  // namespace
}  // namespace beatscan
