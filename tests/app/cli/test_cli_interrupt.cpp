// A single Ctrl-C ends the real program at any time, and leaves nothing behind.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "tests/support/result_files.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

class CliInterrupt : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string pipe() const {
    const std::string name = path("pipe");
    EXPECT_EQ(mkfifo(name.c_str(), 0600), 0);
    return name;
  }
  std::string recording() const {
    generate(Cpu(1), {.samples = 10'000, .abnormal_share = 0.1}, path("ecg.csv"));
    return path("ecg.csv");
  }
  static void expect_stopped(RunningProgram& program) {
    program.send(SIGINT);
    const auto result = program.wait(std::chrono::seconds(20));
    EXPECT_EQ(result.status, 128 + SIGINT) << result.err;
    ASSERT_EQ(error_lines(result).size(), 1u) << result.err;
    EXPECT_EQ(error_lines(result)[0], "error: stopped by a signal");
  }
  // The program reads `text` from the pipe. Then the writer stops, but the pipe stays open.
  static void expect_stopped_within(const std::string& pipe, const std::string& text,
                                    const std::vector<std::string>& command) {
    const int writer = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(write(writer, text.data(), text.size()), std::ssize(text));
    RunningProgram program(command);
    int waiting = 1;
    for (int tries = 0; waiting > 0 && tries < 60'000; ++tries) {  // until the program reads
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ioctl(writer, FIONREAD, &waiting);
    }
    EXPECT_EQ(waiting, 0);
    expect_stopped(program);
    close(writer);
  }

  TemporaryFolder folder_;
};

TEST_F(CliInterrupt, BeforeAnInputsEnd) {
  const std::string input = pipe();
  expect_stopped_within(input, "mV\n1\n", {"run", input, "--rate", "250", "-vv", "--out", path("o")});
}

TEST_F(CliInterrupt, BeforeAConfigurationsEnd) {
  const std::string config = pipe();
  expect_stopped_within(config, "{\"vae\": ", {"run", recording(), "--config", config, "--out", path("o")});
  expect_stopped_within(config, "{", {"config", "check", config});
}

TEST_F(CliInterrupt, BeforeAModelsEnd) {
  const std::string model = pipe();
  expect_stopped_within(model, "12345678{", {"score", recording(), "--model", model, "--out", path("o")});
}

TEST_F(CliInterrupt, BeforeAPipeHasAWriter) {
  const std::string input = pipe();
  RunningProgram program({"run", input, "--rate", "250", "--out", path("o")});
  ASSERT_TRUE(program.catches(SIGINT));
  expect_stopped(program);
}

TEST_F(CliInterrupt, InTheTraining) {
  RunningProgram program(
      {"run", recording(), "--rate", "250", "-v", "--set", "vae.epochs=100000", "--out", path("deep/o")});
  ASSERT_TRUE(program.says_on_stderr("epoch 3:"));
  expect_stopped(program);
  EXPECT_EQ(files_of(folder_.path()).size(), 2u) << "the recording and its truth";
  EXPECT_FALSE(std::filesystem::exists(path("deep")));
}

}  // namespace
}  // namespace beatscan
