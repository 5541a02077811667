// Reading complete files: those that may have no end are refused before memory runs out.
#include "app/common/whole_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include "app/config/config.h"
#include "stages/common/interrupt.h"
#include "tests/support/expect_error.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

TEST(LoadConfig, WhatMayHaveNoEndIsRefused) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::usage, "/dev/zero: is a device; give a file or a pipe", [] { load_config("/dev/zero", {}); });
  expect_error(ErrorKind::usage, "x.json: is empty", [&] { load_config(folder.write("x.json", "").string(), {}); });
  std::string text = "{}" + std::string((1 << 20) - 2, ' ');
  EXPECT_NO_THROW(load_config(folder.write("x.json", text).string(), {}));
  text += ' ';
  const auto too_large = folder.write("x.json", text);
  expect_error(ErrorKind::usage, "x.json: has more than the 1048576 bytes",
               [&] { load_config(too_large.string(), {}); });
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::jthread writer([&] { std::ofstream(pipe) << text; });
  expect_error(ErrorKind::usage, "pipe: has more than the 1048576 bytes", [&] { load_config(pipe.string(), {}); });
}

TEST(ReadWholeFile, WhatMayHaveNoEndIsRefused) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::input, "/dev/zero: is a device; give a file or a pipe", [] { read_whole_file("/dev/zero"); });
  const auto path = folder.write("x", "abc");
  EXPECT_EQ(read_whole_file(path), "abc");
  std::filesystem::resize_file(path, (1 << 30) + 1);  // a hole, which takes no space on the disk
  expect_error(ErrorKind::input, "x: has more than the 1073741824 bytes", [&] { read_whole_file(path); });
}

// The files of a result are also read while it is renamed. A signal must not interrupt that, but it may end the wait
// for a pipe.
TEST(ReadWholeFile, HeedsASignalWhereItWaits) {
  const TemporaryFolder folder;
  const auto file = folder.write("x", "abc"), pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  // Reads the file in a separate process after a signal. Returns the status of the process.
  const auto status_of = [](const std::filesystem::path& path) {
    const pid_t reader = fork();
    if (reader == 0) {
      std::signal(SIGINT, SIG_DFL);  // a background job of a script starts with SIGINT ignored
      catch_signals();
      raise(SIGINT);
      try {
        _exit(read_whole_file(path) == "abc" ? 0 : 1);
      } catch (const Interrupted& stop) {
        _exit(128 + stop.signal);
      }
    }
    int state = 0;
    waitpid(reader, &state, 0);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
  };
  EXPECT_EQ(status_of(file), 0);
  EXPECT_EQ(status_of(pipe), 128 + SIGINT);
}

TEST(WholeFiles, OfEveryCommand) {
  const TemporaryFolder folder;
  const std::string device = "/dev/zero: is a device", out = (folder.path() / "o").string();
  const auto input = folder.write("x.csv", "mV\n1\n2\n").string();
  folder.write("summary.json", R"({"sample_rate": {"hz": 250}})");
  expect_failure(2, device, {"config", "check", "/dev/zero"});
  expect_failure(2, device, {"run", input, "--rate", "250", "--out", out, "--config", "/dev/zero"});
  expect_failure(3, device, {"run", input, "--rate", "250", "--out", out, "--truth", "/dev/zero"});
  expect_failure(3, device, {"score", input, "--model", "/dev/zero", "--out", out});
  expect_failure(3, device, {"evaluate", folder.path().string(), "--truth", "/dev/zero"});
}

}  // namespace
}  // namespace beatscan
