#include "app/cli/help/help_text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "app/cli/help/command_tree.h"

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
  EXPECT_TRUE(help.ends_with("\nExamples:\n  beatscan man | man -l -                           read the manual page\n"))
      << help;
}

// A screen has 50 lines. The other options are only named; --help-all describes them in full.
TEST(HelpText, LeavesSeldomUsedOptionsToHelpAll) {
  const CommandTree tree{"beatscan",
                         "",
                         {},
                         {{"run",
                           "Runs.",
                           {{.flags = {"--force"}, .meaning = "replace a result; it is gone then"},
                            {.flags = {"--save-arrays"}, .meaning = "also write arrays"},
                            {.flags = {"--help-all"}, .meaning = "show all"}}}}};
  const std::string usual = help_text(tree, "run"), all = help_text(tree, "run", 80, HelpOf::all_options);
  EXPECT_NE(usual.find("  --force                 replace a result\n"), usual.npos) << usual;
  EXPECT_EQ(usual.find("arrays\n"), usual.npos) << usual;
  EXPECT_TRUE(usual.ends_with("\n--help-all describes each option in full, and these: --save-arrays.\n")) << usual;
  EXPECT_NE(all.find("  --force                 replace a result; it is gone then\n"), all.npos) << all;
  EXPECT_NE(all.find("  --save-arrays           also write arrays\n"), all.npos) << all;
  EXPECT_EQ(all.find("these besides"), all.npos) << all;
}

TEST(HelpText, PutsTheMeaningOfAnExampleAfterItWhereItFits) {
  const std::string help = help_text({"beatscan", "", {}, {{"report", "Makes.", {}}}}, "report", 100);
  EXPECT_NE(help.find("\n  beatscan report out/205                           makes out/205/report.html\n"), help.npos)
      << help;
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
