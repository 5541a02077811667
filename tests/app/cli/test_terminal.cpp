// The real program on its own terminal: what it draws there, and that it draws nothing elsewhere.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

struct Terminal {
  unsigned short columns = 100;
  std::map<std::string, std::string> environment = {};
};

bool has_terminals() {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  const bool usable = master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0 && ptsname(master) &&
                      access(ptsname(master), R_OK | W_OK) == 0;
  if (master >= 0) close(master);
  return usable;
}

// Runs the program with a terminal as its standard streams. Returns the output and the exit status.
std::pair<std::string, int> on_terminal(const std::vector<std::string>& arguments, const Terminal& terminal = {}) {
  winsize size{.ws_row = 25, .ws_col = terminal.columns};
  int master = -1;
  const pid_t process = forkpty(&master, nullptr, nullptr, &size);
  if (process == 0) {
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    for (const auto& [name, value] : terminal.environment) setenv(name.c_str(), value.c_str(), 1);
    auto words = command_of(arguments).words;
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  EXPECT_GT(process, 0);
  std::string text;
  char part[4096];
  for (ssize_t got; (got = read(master, part, sizeof part)) > 0;) text.append(part, got);  // EIO: the program has ended
  close(master);
  int state = 0;
  waitpid(process, &state, 0);
  return {text, WIFEXITED(state) ? WEXITSTATUS(state) : -1};
}

std::vector<std::string> parts_of(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  return parts;
}

class OnTerminal : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_terminals()) GTEST_SKIP() << "this system has no pseudo-terminals: is /dev/pts mounted?";
    generate(Cpu(1), {.samples = 20'000, .abnormal_share = 0.02}, recording_);
  }
  // The training is long enough to draw progress lines.
  std::vector<std::string> run(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {
        "run", recording_, "--rate",         "250",   "--device",
        "cpu", "--set",    "vae.epochs=600", "--out", (folder_.path() / "o").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  TemporaryFolder folder_;
  std::string recording_ = (folder_.path() / "ecg.csv").string();
};

const std::string kRedraw = "\r\033[K";

TEST_F(OnTerminal, ProgressIsDrawnAndErased) {
  const auto [text, status] = on_terminal(run());
  ASSERT_EQ(status, 0) << text;
  const auto drawn = parts_of(text, kRedraw);
  bool ingest = false, training = false;
  for (const auto& line : drawn) {
    ingest = ingest || (line.starts_with("ingest   [") && line.find(" MB/s") != line.npos);
    training = training || (line.starts_with("training [") && line.find(", loss ") != line.npos &&
                            line.find(" s left") != line.npos);
  }
  EXPECT_TRUE(ingest) << text;
  EXPECT_TRUE(training) << text;
  EXPECT_TRUE(drawn.back().starts_with(recording_)) << "the summary begins on an erased line: " << drawn.back();
  EXPECT_EQ(parts_of(drawn.back(), "\r\n").size(), 13u)
      << "twelve lines, that of the report the last, each with its end: " << drawn.back();
}

TEST_F(OnTerminal, HelpOfACommandIsOneScreen) {
  for (const char* command : {"run", "score", "rhythm", "evaluate", "report", "revise", "plot", "cohort", "generate",
                              "bench", "inspect", "config", "info", "man", "completion"}) {
    const std::string usual = on_terminal({command, "--help"}).first, all = on_terminal({command, "--help-all"}).first;
    EXPECT_LE(std::ranges::count(usual, '\n'), 50) << usual;
    EXPECT_GE(all.size() + 200, usual.size()) << all;
    EXPECT_EQ(usual.find("--help-all") != usual.npos, all.find("--verbose") != all.npos) << usual << all;
  }
  const std::string all = on_terminal({"run", "--help-all"}).first;
  for (const char* option : {"--pool-log", "--in-flight", "--save-arrays", "--log-format", "--no-report", "--seed"})
    EXPECT_NE(all.find(std::string("  ") + option), all.npos) << option;
}

TEST_F(OnTerminal, LinesAreNotWiderThanTheTerminal) {
  const auto [text, status] = on_terminal(run(), {.columns = 40});
  ASSERT_EQ(status, 0) << text;
  const auto drawn = parts_of(text, kRedraw);
  ASSERT_GT(drawn.size(), 2u);
  for (std::size_t i = 1; i + 1 < drawn.size(); ++i) EXPECT_LT(drawn[i].size(), 40u) << drawn[i];
}

TEST_F(OnTerminal, NothingIsDrawnWhereItIsNotWanted) {
  for (const auto& [arguments, terminal] : {std::pair{run({"-q"}), Terminal{}},
                                            {run({"--log-format", "json", "--force"}), Terminal{}},
                                            {run({"--force"}), Terminal{.environment = {{"TERM", "dumb"}}}}}) {
    const auto [text, status] = on_terminal(arguments, terminal);
    ASSERT_EQ(status, 0) << text;
    EXPECT_EQ(text.find('\033'), text.npos) << text;
    EXPECT_EQ(text.find("training ["), text.npos) << text;
  }
}

TEST_F(OnTerminal, NothingIsDrawnIntoAFile) {
  const auto result = run_program(run());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ((result.out + result.err).find('\033'), std::string::npos);
  EXPECT_EQ((result.out + result.err).find('\r'), std::string::npos);
}

TEST_F(OnTerminal, ErrorsAreRedUnlessColourIsNotWanted) {
  const std::vector<std::string> wrong = {"run", "none.csv", "--rate", "250", "--out", (folder_.path() / "o").string()};
  EXPECT_NE(on_terminal(wrong).first.find("\033[31merror:\033[0m none.csv"), std::string::npos);
  EXPECT_NE(on_terminal(wrong, {.environment = {{"NO_COLOR", ""}}}).first.find("\033[31m"), std::string::npos);
  for (const auto& environment : {std::map<std::string, std::string>{{"NO_COLOR", "1"}}, {{"TERM", "dumb"}}}) {
    const auto [text, status] = on_terminal(wrong, {.environment = environment});
    EXPECT_EQ(status, 3);
    EXPECT_NE(text.find("error: none.csv"), text.npos) << text;
    EXPECT_EQ(text.find("\033[3"), text.npos) << text;
  }
}

TEST_F(OnTerminal, ProgressHasNoColour) {  // NO_COLOR does not turn it off
  const auto [text, status] = on_terminal(run(), {.environment = {{"NO_COLOR", "1"}}});
  ASSERT_EQ(status, 0) << text;
  EXPECT_NE(text.find("training ["), text.npos) << text;
  EXPECT_EQ(text.find("\033[3"), text.npos) << text;
}

}  // namespace
}  // namespace beatscan
