// Killed at any moment, the program leaves the earlier state or the complete new result, and the next run cleans up.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "tests/paths/paths.h"
#include "tests/support/result_files.h"
#include "tests/support/run_program.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Arguments = std::vector<std::string>;

class Killed : public testing::Test {
 protected:
  void SetUp() override {
    generate(Cpu(1), {.samples = 10'000, .abnormal_share = 0.1}, folder_.path() / "ecg.csv");
    fs::create_directory(out_);
    const auto start = Clock::now();
    ASSERT_EQ(run_program(arguments("whole")).status, 0);
    run_time_ = Clock::now() - start;  // measured again at every completed run: the machine may be busy
    fs::rename(out_ / "whole", folder_.path() / "whole");
  }

  Arguments arguments(const std::string& name, const Arguments& more = {}) const {
    Arguments all = {"run", folder_.path() / "ecg.csv", "--rate", "250", "--set", "vae.epochs=2", "--out", out_ / name};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  // Creates an earlier result under the target's name.
  void make_earlier() {
    ASSERT_EQ(run_program(arguments("earlier", {"--seed", "99"})).status, 0);
    fs::rename(out_ / "earlier", folder_.path() / "earlier");
    ASSERT_NE(difference_of_results(folder_.path() / "earlier", folder_.path() / "whole"), "");
    put_earlier();
  }
  void put_earlier() const {
    fs::remove_all(out_ / "o");
    fs::copy(folder_.path() / "earlier", out_ / "o", fs::copy_options::recursive);
  }

  bool is_complete() const {
    return fs::exists(out_ / "o") && difference_of_results(out_ / "o", folder_.path() / "whole").empty();
  }
  bool is_earlier() const {
    return fs::exists(folder_.path() / "earlier") ? files_of(out_ / "o") == files_of(folder_.path() / "earlier")
                                                  : !fs::exists(out_ / "o");
  }

  // Checks the folder after a kill, and counts the states found.
  void check_state(bool earlier_may_be_aside = false) {
    const bool complete = is_complete();
    complete_ += complete;
    if (complete) return;
    ++earlier_;
    if (earlier_may_be_aside && !fs::exists(out_ / "o")) return;
    EXPECT_TRUE(is_earlier()) << "neither the earlier state nor the complete result";
  }

  void check_next_run() {
    const auto start = Clock::now();
    const auto next = run_program(arguments("o", {"--force"}));
    run_time_ = Clock::now() - start;
    EXPECT_EQ(next.status, 0) << next.err;
    EXPECT_EQ(difference_of_results(out_ / "o", folder_.path() / "whole"), "") << next.err;
    EXPECT_EQ(names_in(out_), std::set<std::string>{"o"}) << "the next run cleans up";
  }

  // Kills fifty runs at random moments, spread over the whole duration of a run. Their temporary files accumulate:
  // every fifth time, a completed run has to clean them up.
  void kill_at_random(const Arguments& more, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> moment(0, 1.1);
    const int kills = std::max(50 / test_stride(), 5);
    for (int i = 0; i < kills; ++i) {
      SCOPED_TRACE(testing::Message() << "kill " << i << ", seed " << seed);
      RunningProgram program(arguments("o", more));
      std::this_thread::sleep_for(run_time_ * moment(random));
      program.send(SIGKILL);
      program.wait();
      check_state();
      if (i % 5 == 4) check_next_run();
      if (HasFailure()) return;
      more.empty() ? void(fs::remove_all(out_ / "o")) : put_earlier();
    }
    std::printf("%d kills: %d found the earlier state, %d the complete result\n", kills, earlier_, complete_);
    EXPECT_GE(earlier_, kills / 10) << "kills came too late";
  }

  // Kills runs at every file-changing call, until one completes.
  void kill_at_every_call(const Arguments& more, const std::vector<std::string>& environment = {}) {
    for (int call = 1;; call += test_stride()) {
      SCOPED_TRACE(testing::Message() << "call " << call);
      auto settings = environment;
      for (const std::string& setting : {"LD_PRELOAD=" + faulty_io_path(), std::string("BEATSCAN_FAULT=kill")})
        settings.push_back(setting);
      settings.push_back("BEATSCAN_FAULT_AT=" + std::to_string(call));
      settings.push_back("BEATSCAN_FAULT_UNDER=" + out_.string());
      const auto result = run_program(command_of(arguments("o", more), settings));
      if (result.status == 0) {
        std::printf("%d calls: %d found the earlier state, %d the complete result\n", earlier_ + complete_, earlier_,
                    complete_);
        EXPECT_GT(call, 40) << "of 16 files, each made, written and synced";
        EXPECT_TRUE(is_complete());
        return;
      }
      ASSERT_EQ(result.status, 128 + SIGKILL) << result.err;
      check_state(!environment.empty());
      if (call % 8 == 0 || complete_ > 0) check_next_run();
      if (HasFailure()) return;
      more.empty() ? void(fs::remove_all(out_ / "o")) : put_earlier();
    }
  }

  TemporaryFolder folder_;
  const fs::path out_ = folder_.path() / "results";
  std::chrono::duration<double> run_time_{};
  int earlier_ = 0, complete_ = 0;
};

TEST_F(Killed, AtFiftyRandomMoments) { kill_at_random({}, 7); }

TEST_F(Killed, AtFiftyRandomMomentsOverAnEarlierResult) {
  make_earlier();
  kill_at_random({"--force"}, 8);
}

TEST_F(Killed, AtEveryCallThatChangesFilesOverAnEarlierResult) {
  make_earlier();
  kill_at_every_call({"--force"});
}

// Without an exchange of names, there is a moment in which neither result has its name: the next program restores the
// earlier one.
TEST_F(Killed, WhereNamesCannotBeExchangedTheEarlierResultIsPutBack) {
  make_earlier();
  kill_at_every_call({"--force"}, {"BEATSCAN_NO_EXCHANGE=1"});
  put_earlier();
  fs::rename(out_ / "o", out_ / ".o.previous-4194305");
  const auto refused = run_program(arguments("o"));
  EXPECT_EQ(refused.status, 6) << refused.err;
  EXPECT_TRUE(is_earlier());
}

// A signal and its truth are two files. There are never two that do not belong together.
TEST_F(Killed, GenerateLeavesNoTruthOfAnotherSignal) {
  const auto generate_again = [&](int seed, const std::vector<std::string>& settings = {}) {
    return run_program(command_of({"generate", "--samples", "5000", "--seed", std::to_string(seed), "--force", "--out",
                                   (out_ / "s.csv").string()},
                                  settings));
  };
  ASSERT_EQ(generate_again(2).status, 0);
  const auto after = files_of(out_);
  int calls = 0;
  for (int status = -1; status != 0; ++calls) {
    SCOPED_TRACE(testing::Message() << "call " << calls + 1);
    ASSERT_EQ(generate_again(1).status, 0);
    const auto before = files_of(out_);
    ASSERT_EQ(before.size(), 2u) << "the run before was cleaned up";
    status =
        generate_again(2, {"LD_PRELOAD=" + faulty_io_path(), "BEATSCAN_FAULT=kill",
                           "BEATSCAN_FAULT_AT=" + std::to_string(calls + 1), "BEATSCAN_FAULT_UNDER=" + out_.string()})
            .status;
    ASSERT_TRUE(status == 0 || status == 128 + SIGKILL) << status;
    auto found = files_of(out_);
    std::erase_if(found, [](const auto& file) { return file.first.starts_with("."); });
    const auto is_of = [&](const auto& state) {
      return std::ranges::all_of(found, [&](const auto& file) { return state.at(file.first) == file.second; });
    };
    ASSERT_TRUE(is_of(before) || is_of(after));
    ASSERT_TRUE(found.contains("s.csv"));
  }
  EXPECT_GT(calls, 8);
}

}  // namespace
}  // namespace beatscan
