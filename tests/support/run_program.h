// tests/support/run_program.h — runs the real program and captures its output.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/paths/paths.h"

namespace beatscan {

struct ProgramResult {
  int status;  // as in a shell: 128 + signal if a signal ended the program
  std::string out, err;
};

// A program with its arguments. The settings ("NAME=VALUE") are added to the environment of this process.
struct CommandLine {
  std::vector<std::string> words, environment = {};
};

// Returns the command line of beatscan with these arguments.
inline CommandLine command_of(const std::vector<std::string>& arguments, std::vector<std::string> environment = {}) {
  std::vector<std::string> words = start_of(program_path());
  words.insert(words.end(), arguments.begin(), arguments.end());
  return {std::move(words), std::move(environment)};
}

class RunningProgram {
 public:
  explicit RunningProgram(std::vector<std::string> arguments) : RunningProgram(command_of(std::move(arguments))) {}
  explicit RunningProgram(CommandLine command) {
    std::vector<char*> argv, settings;
    for (auto& word : command.words) argv.push_back(word.data());
    argv.push_back(nullptr);
    for (auto& setting : command.environment) settings.push_back(setting.data());
    for (char** setting = environ; *setting; ++setting) settings.push_back(*setting);
    settings.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&files, fileno(out_.get()), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, fileno(err_.get()), STDERR_FILENO);
    // Makes signals work as on a terminal: a background process ignores SIGINT, and its children would inherit that.
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigdefault(&attributes, &all);
    if (posix_spawnp(&process_, argv[0], &files, &attributes, argv.data(), settings.data()) != 0) process_ = -1;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    EXPECT_GT(process_, 0) << "cannot start " << argv[0];
  }
  ~RunningProgram() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  RunningProgram(RunningProgram&&) = delete;

  void send(int signal) const {
    if (process_ > 0) kill(process_, signal);
  }

  // Waits until the program handles the signal; false if it does not in time.
  bool catches(int signal, std::chrono::seconds within = std::chrono::seconds(120)) const {
    const auto end = std::chrono::steady_clock::now() + within;
    while (std::chrono::steady_clock::now() < end) {
      std::ifstream status("/proc/" + std::to_string(process_) + "/status");
      for (std::string line; std::getline(status, line);)
        if (line.starts_with("SigCgt:") && std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }

  bool says_on_stderr(const std::string& part, std::chrono::seconds within = std::chrono::seconds(120)) const {
    const auto end = std::chrono::steady_clock::now() + within;
    while (std::chrono::steady_clock::now() < end) {
      const bool ended = has_ended();
      if (contents(err_.get()).find(part) != std::string::npos) return true;
      if (ended) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  ProgramResult wait(std::chrono::seconds within = std::chrono::seconds(300)) {
    const auto end = std::chrono::steady_clock::now() + within;
    int state = 0;
    while (process_ > 0 && waitpid(process_, &state, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) {
        ADD_FAILURE() << "the program does not end";
        kill(process_, SIGKILL);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    process_ = -1;
    return {WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state), contents(out_.get()),
            contents(err_.get())};
  }

 private:
  bool has_ended() const {
    siginfo_t end{};
    return process_ <= 0 || (waitid(P_PID, process_, &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == process_);
  }

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;

  static std::string contents(std::FILE* file) {
    std::string text;
    char part[4096];
    for (ssize_t got; (got = pread(fileno(file), part, sizeof part, static_cast<off_t>(text.size()))) > 0;)
      text.append(part, static_cast<std::size_t>(got));
    return text;
  }

  File out_{std::tmpfile()}, err_{std::tmpfile()};
  pid_t process_ = -1;
};

inline ProgramResult run_program(std::vector<std::string> arguments) {
  return RunningProgram(std::move(arguments)).wait();
}
inline ProgramResult run_program(CommandLine command) { return RunningProgram(std::move(command)).wait(); }

// The lines of stderr with errors. Other lines may report a missing GPU.
inline std::vector<std::string> error_lines(const ProgramResult& result) {
  std::vector<std::string> errors;
  for (std::size_t begin = 0; begin < result.err.size();) {
    const auto end = std::min(result.err.find('\n', begin), result.err.size());
    const std::string line = result.err.substr(begin, end - begin);
    if (line.starts_with("error: ")) errors.push_back(line);
    begin = end + 1;
  }
  return errors;
}

// Runs the program. Expects this status, nothing on stdout, and one error line that contains `part`.
inline void expect_failure(int status, const std::string& part, const std::vector<std::string>& arguments) {
  std::string command;
  for (const auto& argument : arguments) command += " " + argument;
  SCOPED_TRACE("beatscan" + command);
  const auto result = run_program(arguments);
  EXPECT_EQ(result.status, status) << result.err;
  EXPECT_EQ(result.out, "");
  const auto errors = error_lines(result);
  ASSERT_EQ(errors.size(), 1u) << result.err;
  EXPECT_NE(errors[0].find(part), std::string::npos) << errors[0] << "\nlacks: " << part;
}

}  // namespace beatscan
