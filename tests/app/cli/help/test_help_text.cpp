#include "app/cli/help/help_text.h"

#include <gtest/gtest.h>

#include <sstream>

namespace beatscan {
namespace {

const CommandTree kTree{
    "beatscan",
    "beatscan: finds",
    {{.flags = {"-h", "--help"}, .meaning = "show this help"}},
    {{"run",
      "Runs.",
      {{.flags = {"-h", "--help"}, .meaning = "show this help"},
       {.name = "input",
        .meaning = "recordings",
        .kind = ValueKind::file,
        .value = "INPUT",
        .required = true,
        .repeatable = true},
       {.flags = {"--out"}, .meaning = "folder", .kind = ValueKind::folder, .value = "DIR", .required = true},
       {.flags = {"--style"},
        .meaning = "a text of so many words that it does not fit into a single line of the terminal",
        .kind = ValueKind::text,
        .value = "TEXT",
        .choices = {"decimal3", "decimal6", "exponent18"},
        .fallback = "decimal3"}}}}};

TEST(HelpText, OfACommandShowsItsArguments) {
  EXPECT_EQ(help_text(kTree, "run").find(R"(Runs.

Usage: beatscan run INPUT... --out DIR [OPTION]...

Arguments:
  INPUT...                recordings

Output:
  --out DIR               folder (required)

Method:
  --style decimal3|decimal6|exponent18
                          a text of so many words that it does not fit into a
                          single line of the terminal (default: decimal3)

Messages:
  -h, --help              show this help
)"),
            0u);
}

TEST(HelpText, IsAsWideAsItMay) {
  const std::string wide = help_text(kTree, "run", 120);
  EXPECT_NE(wide.find("a text of so many words that it does not fit into a single line of the terminal (default"),
            wide.npos)
      << wide;
}

TEST(HelpText, OfACommandEndsWithExamples) {
  const std::string help = help_text({"beatscan", "", {}, {{"man", "Prints; more.", {}}}}, "man");
  EXPECT_TRUE(help.ends_with("\nExamples:\n  beatscan man | man -l -\n      read the manual page\n")) << help;
}

TEST(HelpText, OfTheProgramShowsCommandsAndExitStatuses) {
  const std::string help = help_text(kTree, "");
  EXPECT_TRUE(
      help.starts_with("beatscan: finds\n\nUsage: beatscan COMMAND [ARGUMENT]...\n\nCommands:\n"
                       "  run                     Runs.\n\nMessages:\n"))
      << help;
  EXPECT_NE(help.find("\nExit status:\n  0              done\n"), help.npos) << help;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
}  // namespace beatscan
