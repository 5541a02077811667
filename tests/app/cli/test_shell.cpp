// Completions in real shells, and the manual page by real formatters. A shell that is not installed is skipped.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "app/cli/add_commands.h"
#include "app/cli/command_line.h"
#include "app/cli/help/command_tree.h"
#include "app/cli/help/help_text.h"
#include "app/cli/help/man_page.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

using Words = std::vector<std::string>;

std::string standard_output(const std::string& shell_command) {
  std::FILE* pipe = popen(shell_command.c_str(), "r");
  std::string text;
  char part[4096];
  for (std::size_t got; (got = std::fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, got);
  EXPECT_EQ(pclose(pipe), 0) << shell_command;
  return text;
}

bool installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.insert(line.substr(0, line.find('\t')));
  return lines;
}

ProgramResult run_program(Words arguments) { return RunningProgram(std::move(arguments)).wait(); }

// Returns the completions that a shell offers for the last of some words.
class Completion : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!installed(GetParam())) GTEST_SKIP() << GetParam() << " is not installed";
    const auto result = run_program({"completion", GetParam()});
    ASSERT_EQ(result.status, 0) << result.err;
    folder_.write("script", result.out);
    folder_.write("ecg.csv", "");
    folder_.write("notes file.txt", "");
    std::filesystem::create_directory(folder_.path() / "results");
  }

  std::set<std::string> offered(const Words& words) const {
    if (GetParam() == "bash") return by_bash(words);
    return GetParam() == "fish" ? by_fish(words) : by_zsh(words);
  }

  void expect_offers(const Words& words, const Words& wanted, const Words& unwanted = {}) const {
    const auto found = offered(words);
    for (const auto& word : wanted)
      EXPECT_TRUE(found.contains(word)) << word << " is missing\n" << testing::PrintToString(found);
    for (const auto& word : unwanted) EXPECT_FALSE(found.contains(word)) << word << " does not belong here";
  }

 private:
  std::string run(const std::string& shell, const std::string& script) const {
    const auto path = folder_.write("ask", script);
    return standard_output("cd " + folder_.path().string() + " && " + shell + " " + path.string());
  }

  // Bash splits words at = and gives all of them to the completion.
  std::set<std::string> by_bash(const Words& words) const {
    std::string array;
    for (const auto& word : words)
      for (std::string rest = word;;) {
        const auto equals = rest == "=" ? rest.npos : rest.find('=');
        if (equals == rest.npos) {
          array += " '" + rest + "'";
          break;
        }
        array += " '" + rest.substr(0, equals) + "' '='";
        rest = rest.substr(equals + 1);
        if (rest.empty()) break;  // the cursor stands right after =
      }
    return lines_of(
        run("bash", ". ./script\nCOMP_WORDS=(beatscan" + array +
                        ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_beatscan\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"));
  }

  std::set<std::string> by_fish(const Words& words) const {
    std::string line = "beatscan";
    for (const auto& word : words) line += " " + word;
    return lines_of(run("fish --no-config", "source ./script\ncomplete -C '" + line + "'\n"));
  }

  // Starts an interactive zsh on its own terminal, whose line editor completes the words at once. Its compadd is
  // replaced by one that records its arguments.
  std::set<std::string> by_zsh(const Words& words) const {
    std::string line = "beatscan";
    for (const auto& word : words) line += " " + word;
    folder_.write("rc", R"ZSH(
PS1= PS2= ; autoload -U compinit; compinit -u -D; . ./script
zstyle ':completion:*' list-colors ''
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  typeset -a hits
  builtin compadd -A hits "$@"
  (( $#hits )) && print -r -l -- offered:${^hits} >>offers
  builtin compadd "$@"
}
zle-line-init() { BUFFER=$(<line); CURSOR=$#BUFFER; zle complete-word; print done >>offers }
zle -N zle-line-init
)ZSH");
    folder_.write("line", line);
    run("zsh -f",
        "rm -f offers\nzmodload zsh/zpty\nzpty z zsh -f -i\nzpty -w z '. ./rc'\n"
        "until grep -q done offers 2>/dev/null; do sleep 0.02; done\nzpty -d z\n");
    std::set<std::string> found;
    for (const auto& entry : lines_of(contents_of(folder_.path() / "offers")))
      if (entry.starts_with("offered:")) found.insert(entry.substr(8));
    return found;
  }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(In, Completion, testing::Values("bash", "zsh", "fish"),
                         [](const auto& info) { return info.param; });

TEST_P(Completion, OffersCommandsAndTheirOptions) {
  expect_offers({""}, {"run", "score", "evaluate", "config", "completion", "man"}, {"--out"});
  expect_offers({"s"}, {"score"}, {"run"});
  expect_offers({"run", "--"}, {"--device", "--log-format", "--set"}, {"--tolerance-ms"});
  expect_offers({"evaluate", "--to"}, {"--tolerance-ms"}, {"--truth"});
}

TEST_P(Completion, OffersTheValuesThatThereAre) {
  expect_offers({"run", "--device", ""}, {"auto", "cpu", "cuda", "cuda:0,2"}, {"ecg.csv", "run"});
  expect_offers({"run", "--log-format", "j"}, {"json"}, {"text"});
  expect_offers({"generate", "--style", ""}, {"decimal3", "decimal6", "exponent18"});
  expect_offers({"config", ""}, {"show", "check", "schema"});
  expect_offers({"completion", ""}, {"bash", "zsh", "fish"});
}

TEST_P(Completion, OffersFilesAndFolders) {
  expect_offers({"run", "ec"}, {"ecg.csv"}, {"results"});
  expect_offers({"run", "--config", ""}, {"default", "seed", "ecg.csv"});
  const std::string folder = GetParam() == "fish" ? "results/" : "results";
  expect_offers({"run", "--out", ""}, {folder}, {"ecg.csv"});
  expect_offers({"evaluate", "r"}, {folder}, {"ecg.csv"});
}

TEST_P(Completion, OffersKeysOfTheConfigurationAndTheirValues) {
  if (GetParam() == "zsh") {
    expect_offers({"run", "--set", "detect.kee"}, {"detect.keep"}, {"vae.epochs"});
    expect_offers({"run", "--set", "device=c"}, {"cpu", "cuda"}, {"auto"});
    return;
  }
  expect_offers({"run", "--set", "detect."}, {"detect.keep=", "detect.band_hz="}, {"vae.epochs="});
  const std::string before = GetParam() == "fish" ? "device=" : "";  // bash treats the value as a separate word
  expect_offers({"run", "--set", "device=c"}, {before + "cpu", before + "cuda"}, {before + "auto"});
}

TEST(CompletionCommand, RefusesOtherShells) {
  const auto result = run_program({"completion", "tcsh"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("tcsh"), std::string::npos);
}

TEST(ManPageText, CharactersWithAMeaningInRoffAreEscaped) {
  const CommandTree tree{"beatscan", "beatscan: finds", {}, {{"x", ".so `a`'s \\ and … - more", {}}}};
  EXPECT_NE(man_page(tree, "1").find("\n\\&.so \\(gaa\\(ga\\(aqs \\e and \\[u2026] \\- more\n"), std::string::npos)
      << man_page(tree, "1");
}

class ManPage : public testing::Test {
 protected:
  void SetUp() override {
    const auto result = run_program({"man"});
    ASSERT_EQ(result.status, 0) << result.err;
    path_ = folder_.write("beatscan.1", result.out).string();
    text_ = std::regex_replace(result.out, std::regex("\\\\-"), "-");
  }
  TemporaryFolder folder_;
  std::string path_, text_;
};

// The help is generated in this process: with a sanitizer, each start of the program takes a second.
TEST_F(ManPage, NamesEveryCommandAndOption) {
  CLI::App app("", "beatscan");
  ParsedLine line;
  add_commands(app, line);
  const CommandTree tree = command_tree(app);
  const std::string help = run_program({"--help"}).out;
  const std::regex command("\n  ([a-z]+)  ");
  std::size_t commands = 0, options = 0;
  for (std::sregex_iterator match(help.begin(), help.end(), command), end; match != end; ++match, ++commands) {
    const std::string name = (*match)[1];
    EXPECT_NE(text_.find("beatscan " + name), std::string::npos) << name;
    const auto section = text_.find(".SS \\fBbeatscan " + name + "\\fR");
    ASSERT_NE(section, std::string::npos) << name;
    const std::string own = text_.substr(section, text_.find("\n.S", section + 1) - section);
    const std::string command_help = help_text(tree, name, 80, HelpOf::all_options);
    const std::regex option("\n  (?:-[a-z], )?(--[a-z-]+)");
    for (std::sregex_iterator flag(command_help.begin(), command_help.end(), option); flag != end; ++flag, ++options)
      EXPECT_TRUE((*flag)[1] == "--help" || own.find((*flag)[1]) != own.npos) << name << " " << (*flag)[1];
  }
  EXPECT_EQ(commands, tree.commands.size());
  EXPECT_GE(commands, 10u);
  EXPECT_GE(options, 80u);
  EXPECT_NE(run_program({"run", "--help"}).out.find("\n  --config FILE|NAME"), std::string::npos);
}

TEST_F(ManPage, NamesEveryKeyOfTheConfigurationWithItsDefault) {
  for (const Setting& setting : settings()) {
    const auto key = text_.find("\\fB" + setting.key + "\\fR");
    ASSERT_NE(key, std::string::npos) << setting.key;
    const std::string value = setting.fallback.empty() ? "\n" : " = " + setting.fallback + "\n";
    EXPECT_EQ(text_.compare(text_.find("\\fR", key) + 3, value.size(), value), 0) << setting.key;
  }
}

TEST_F(ManPage, NamesTheVariablesOfTheEnvironment) {
  const auto section = text_.find("\n.SH ENVIRONMENT\n");
  ASSERT_NE(section, std::string::npos);
  for (const std::string name : {"NO_COLOR", "TERM", "TMPDIR", "CUDA_VISIBLE_DEVICES", "SLURM_PROCID"})
    EXPECT_NE(text_.find(name, section), std::string::npos) << name;
}

TEST_F(ManPage, IsFormattedWithoutAWarning) {
  const bool groff = installed("groff");
  const bool man =
      standard_output("man --version 2>/dev/null || true").starts_with("man 2");  // small systems have a stub
  if (!groff && !man) GTEST_SKIP() << "neither groff nor man is installed";
  if (groff) {
    EXPECT_EQ(standard_output("groff -man -ww -z " + path_ + " 2>&1"), "");
  }
  if (man) {
    const std::string show = "LC_ALL=C.UTF-8 MANWIDTH=100 man -l --warnings " + path_;
    EXPECT_EQ(standard_output(show + " 2>&1 >/dev/null"), "");
    EXPECT_NE(standard_output(show).find("beatscan run [INPUT...] --out DIR [OPTION]..."), std::string::npos);
  }
}

}  // namespace
}  // namespace beatscan
