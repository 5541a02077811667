#include "app/common/environment.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "kernels/runtime/context.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

std::string quoted(const std::vector<const char*>& words) { return quoted_for_shell(words); }

TEST(QuotedForShell, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(quoted({"build/beatscan", "run", "a_b-1.csv", "--set", "vae.epochs=3"}),
            "build/beatscan run a_b-1.csv --set vae.epochs=3");
  EXPECT_EQ(quoted({}), "");
}

TEST(QuotedForShell, OthersAreQuoted) {
  EXPECT_EQ(quoted({"x", "", "a b", "it's", "$HOME", "vae.channels=[4,8]"}),
            R"(x '' 'a b' 'it'\''s' '$HOME' 'vae.channels=[4,8]')");
}

// Returns the words that a shell reads from the text.
TEST(QuotedForShell, AShellReadsItBack) {
  const TemporaryFolder folder;
  const std::vector<const char*> words = {"a b",       "it's", "\"$(echo x)\"", "\\", "*",
                                          "new\nline", "~",    "\xb5V",         "#",  "!"};
  const auto path = folder.path() / "words";
  const std::string command = "printf '%s\\0' " + quoted(words) + " > '" + path.string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::string expected;
  for (const char* word : words) expected.append(word).push_back('\0');
  EXPECT_EQ(contents_of(path), expected);
}

TEST(ThisHost, HasCoresAndAnOperatingSystem) {
  const Host host = this_host();
  EXPECT_EQ(host.cores, Cpu().threads());
  EXPECT_NE(host.operating_system.find("Linux"), std::string::npos) << host.operating_system;
  EXPECT_EQ(host.operating_system.find('"'), std::string::npos) << host.operating_system;
}

}  // namespace
}  // namespace beatscan
