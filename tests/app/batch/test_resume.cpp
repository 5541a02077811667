// After SIGTERM during the training, --resume gives the same bytes as an uninterrupted run.
#include <gtest/gtest.h>

#include <csignal>

#include "app/output/tables/parquet.h"
#include "app/pipeline/checkpoint.h"
#include "app/synthetic/generate.h"
#include "tests/support/result_files.h"
#include "tests/support/run_program.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

class Resume : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void SetUp() override {
    for (const char* name : {"one", "two", "three"})
      generate(Cpu(1), {.samples = 10'000, .abnormal_share = 0.1, .seed = static_cast<std::uint64_t>(*name)},
               path(std::string(name) + ".csv"));
  }
  static std::string at_epoch(int number) { return "epoch " + std::to_string(number) + ":"; }
  // Returns the command line of a training of about two seconds, which a signal can interrupt.
  Arguments arguments(const std::string& out, const Arguments& inputs, const Arguments& more = {}) const {
    Arguments all = {"run", "--rate", "250", "-v", "--device", "cpu", "--set", "vae.epochs=600", "--out", path(out)};
    for (const auto& input : inputs) all.push_back(path(input + ".csv"));
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Arguments autograd() const { return {"--set", "vae.engine=autograd", "--set", "vae.epochs=200"}; }

  // Stops the run at a message of its training.
  void stop_at(const std::string& message, const Arguments& command) const {
    RunningProgram program(command);
    ASSERT_TRUE(program.says_on_stderr(message));
    program.send(SIGTERM);
    const auto result = program.wait();
    EXPECT_EQ(result.status, 128 + SIGTERM) << result.err;
    ASSERT_EQ(error_lines(result).size(), 1u) << result.err;
    EXPECT_EQ(error_lines(result)[0], "error: stopped by a signal");
    EXPECT_NE(result.err.find("with --resume goes on"), std::string::npos) << result.err;
  }
  void expect_checkpoint(const std::string& out, bool there = true) const {
    EXPECT_EQ(fs::exists(checkpoint_path(path(out))), there);
  }
  // Expects no hidden files beside results and inputs.
  void expect_clean() const {
    for (const auto& name : names_in(folder_.path())) EXPECT_FALSE(name.starts_with(".")) << name;
  }

  TemporaryFolder folder_;
};

TEST_F(Resume, GoesOnToTheSameBytes) {
  ASSERT_EQ(run_program(arguments("whole", {"one"})).status, 0);
  for (const int number : {1, 160, 400}) {
    SCOPED_TRACE(number);
    stop_at(at_epoch(number), arguments("o", {"one"}));
    EXPECT_FALSE(fs::exists(path("o")));
    expect_checkpoint("o");
    const auto resumed = run_program(arguments("o", {"one"}, {"--resume"}));
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_NE(resumed.err.find("going on after epoch "), std::string::npos) << resumed.err;
    EXPECT_EQ(resumed.err.find(": epoch 1:"), std::string::npos) << "completed epochs are not repeated";
    EXPECT_EQ(difference_of_results(path("o"), path("whole")), "");
    expect_clean();
    fs::remove_all(path("o"));
  }
}

TEST_F(Resume, GoesOnToTheSameBytesByAutograd) {
  ASSERT_EQ(run_program(arguments("whole", {"one"}, autograd())).status, 0);
  stop_at("epoch 60:", arguments("o", {"one"}, autograd()));
  Arguments again = autograd();
  again.push_back("--resume");
  ASSERT_EQ(run_program(arguments("o", {"one"}, again)).status, 0);
  EXPECT_EQ(difference_of_results(path("o"), path("whole")), "");
}

TEST_F(Resume, SeveralStopsAreAsGoodAsOne) {
  ASSERT_EQ(run_program(arguments("whole", {"one"})).status, 0);
  stop_at(at_epoch(5), arguments("o", {"one"}));
  stop_at(at_epoch(180), arguments("o", {"one"}, {"--resume"}));
  stop_at(at_epoch(380), arguments("o", {"one"}, {"--resume"}));
  ASSERT_EQ(run_program(arguments("o", {"one"}, {"--resume"})).status, 0);
  EXPECT_EQ(difference_of_results(path("o"), path("whole")), "");
}

TEST_F(Resume, AUserSignalWritesACheckpointAndTheTrainingGoesOn) {
  ASSERT_EQ(run_program(arguments("whole", {"one"})).status, 0);
  RunningProgram program(arguments("o", {"one"}, {"--set", "vae.epochs=100000"}));
  ASSERT_TRUE(program.says_on_stderr("epoch 2:"));
  program.send(SIGUSR1);
  ASSERT_TRUE(program.says_on_stderr("goes on from it"));
  expect_checkpoint("o");
  program.send(SIGKILL);
  EXPECT_EQ(program.wait().status, 128 + SIGKILL);
  expect_checkpoint("o");

  RunningProgram asked(arguments("p", {"one"}));
  ASSERT_TRUE(asked.says_on_stderr("epoch 2:"));
  asked.send(SIGUSR1);
  EXPECT_EQ(asked.wait().status, 0);
  EXPECT_EQ(difference_of_results(path("p"), path("whole")), "");
  expect_checkpoint("p", false);
}

TEST_F(Resume, AUserSignalWithoutATrainingDoesNothing) {
  RunningProgram program({"generate", "--samples", "20000000", "--out", path("long.csv"), "--force"});
  const auto started = [&] {
    for (const auto& name : names_in(folder_.path()))
      if (name.starts_with(".long.csv.partial")) return true;
    return false;
  };
  for (int i = 0; i < 10'000 && !started(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  program.send(SIGUSR1);
  const auto result = program.wait();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(fs::exists(path("long.csv")));
}

TEST_F(Resume, WithoutACheckpointItStartsFromTheBeginning) {
  const auto result = run_program(arguments("o", {"one"}, {"--resume"}));
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("no checkpoint, so the training starts from the beginning"), std::string::npos);
}

TEST_F(Resume, ACheckpointIsOnlyUsedWhereAskedFor) {
  ASSERT_EQ(run_program(arguments("whole", {"one"})).status, 0);
  stop_at("epoch 3:", arguments("o", {"one"}));
  const auto result = run_program(arguments("o", {"one"}));
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("without --resume this run begins anew"), std::string::npos) << result.err;
  EXPECT_EQ(difference_of_results(path("o"), path("whole")), "");
  expect_clean();
}

TEST_F(Resume, RefusesWhatIsOfAnotherRun) {
  stop_at("epoch 3:", arguments("o", {"one"}));
  const auto refused = [&](int status, const std::string& part, const Arguments& command) {
    const auto result = run_program(command);
    EXPECT_EQ(result.status, status) << result.err;
    ASSERT_EQ(error_lines(result).size(), 1u) << result.err;
    EXPECT_NE(error_lines(result)[0].find(part), std::string::npos) << result.err;
    expect_checkpoint("o");
    EXPECT_FALSE(fs::exists(path("o")));
  };
  refused(2, "seed is 1 there and 9 here", arguments("o", {"one"}, {"--resume", "--seed", "9"}));
  refused(3, "is of another input", arguments("o", {"two"}, {"--resume"}));
  folder_.write(".o.checkpoint.safetensors", "cut");
  for (const Arguments& more : {Arguments{"--resume"}, Arguments{"--resume", "--force"}})
    refused(3, "is not a complete checkpoint; remove this file to start over", arguments("o", {"one"}, more));
  fs::remove(checkpoint_path(path("o")));
  const auto started = run_program(arguments("o", {"one"}, {"--resume", "--set", "vae.epochs=2"}));
  EXPECT_EQ(started.status, 0) << started.err;
}

TEST_F(Resume, ABatchGoesOnWhereItWasStopped) {
  ASSERT_EQ(run_program(arguments("whole", {"one", "two", "three"})).status, 0);
  // One at a time, two trainings remain when the first result exists, which gives the signal time to arrive.
  RunningProgram program(arguments("batch", {"one", "two", "three"}, {"--in-flight", "1"}));
  for (int i = 0; i < 60'000 && !fs::exists(path("batch/one")); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  program.send(SIGTERM);
  const auto stopped = program.wait();
  ASSERT_EQ(stopped.status, 128 + SIGTERM);
  EXPECT_NE(stopped.err.find("stopped after 1 of 3 recordings; the same command with --resume does the others"),
            std::string::npos)
      << stopped.err;
  ASSERT_FALSE(fs::exists(path("batch/cohort.csv")));
  const auto first = files_of(path("batch/one"));

  const auto resumed = run_program(arguments("batch", {"one", "two", "three"}, {"--resume"}));
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("one: complete already, skipped"), std::string::npos) << resumed.err;
  EXPECT_EQ(resumed.err.find("three.checkpoint.safetensors: no checkpoint"), std::string::npos) << resumed.err;
  EXPECT_TRUE(files_of(path("batch/one")) == first) << "kept as it was";
  for (const std::string name : {"one", "two", "three"})
    EXPECT_EQ(difference_of_results(path("batch/" + name), path("whole/" + name)), "");
  EXPECT_EQ(contents_of(path("batch/cohort.csv")), contents_of(path("whole/cohort.csv")));
  EXPECT_EQ(contents_of(path("batch/index.html")), contents_of(path("whole/index.html")));
  for (const auto& name : names_in(path("batch"))) EXPECT_FALSE(name.starts_with(".")) << name;
}

TEST_F(Resume, AResultOfAnotherRunIsNotTakenForThisOne) {
  const Arguments quick = {"--set", "vae.epochs=2"}, other = {"--set", "vae.epochs=3", "--resume"};
  ASSERT_EQ(run_program(arguments("o", {"one"}, quick)).status, 0);
  auto result = run_program(arguments("o", {"one"}, other));
  EXPECT_EQ(result.status, 6);
  EXPECT_NE(result.err.find("vae.epochs is 2 there and 3 here"), std::string::npos) << result.err;
  result = run_program(arguments("o", {"two"}, {"--set", "vae.epochs=2", "--resume"}));
  EXPECT_EQ(result.status, 6);
  EXPECT_NE(result.err.find("is a result of another input"), std::string::npos) << result.err;
  result = run_program(arguments("o", {"one"}, {"--set", "vae.epochs=2", "--resume"}));
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("complete already"), std::string::npos) << result.err;
  const auto refused = [&](const std::string& part, const Arguments& more = {}) {
    Arguments all = {"--set", "vae.epochs=2", "--resume"};
    all.insert(all.end(), more.begin(), more.end());
    result = run_program(arguments("o", {"one"}, all));
    EXPECT_EQ(result.status, 6) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  };
  refused("is a result without --truth", {"--truth", path("one.truth.csv")});
  if (!arrow_version().empty()) refused("is a result without beats.parquet", {"--beats", "both"});
  const std::string beats = contents_of(path("o/beats.csv"));
  folder_.write("o/beats.csv", beats.substr(0, beats.size() / 2));
  refused("beats.csv does not hold its beats");
  const std::string summary = contents_of(path("o/summary.json"));
  for (const std::string damaged : {R"({"versions": [1]})", R"({"versions": )", "[]"}) {
    folder_.write("o/summary.json", damaged);
    refused("is damaged");
  }
  folder_.write("o/summary.json", summary);
  fs::remove(path("o/beats.csv"));
  refused("beats.csv does not hold its beats");
  folder_.write("o/beats.csv", beats);
  fs::remove(path("o/model.safetensors"));
  refused("it has no model.safetensors");
  result = run_program(arguments("o", {"two"}, {"--set", "vae.epochs=2", "--resume", "--force"}));
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST_F(Resume, AResultComparedWithOtherAnnotationsIsNotKept) {
  const auto compared = [&](const std::string& truth) {
    return run_program(arguments("o", {"one"}, {"--set", "vae.epochs=2", "--resume", "--truth", path(truth)}));
  };
  ASSERT_EQ(compared("one.truth.csv").status, 0);
  folder_.write("same.csv", contents_of(path("one.truth.csv")));
  EXPECT_EQ(compared("same.csv").status, 0);
  const auto refused = compared("two.truth.csv");
  EXPECT_EQ(refused.status, 6) << refused.err;
  EXPECT_NE(refused.err.find("was compared with other annotations"), std::string::npos) << refused.err;
}

// A refusal is reported before anything of a batch is changed.
TEST_F(Resume, OtherTablesThanThereAreLeaveABatchAsItIs) {
  const Arguments quick = {"--set", "vae.epochs=2"};
  ASSERT_EQ(run_program(arguments("o", {"one", "two"}, quick)).status, 0);
  const auto before = names_in(path("o"));
  const auto result =
      run_program(arguments("o", {"one", "two"}, {"--set", "vae.epochs=2", "--resume", "--save-arrays"}));
  EXPECT_EQ(result.status, 6) << result.err;
  EXPECT_NE(result.err.find("is a result without arrays"), std::string::npos) << result.err;
  EXPECT_EQ(names_in(path("o")), before);
}

// A batch keeps what another process has written in the meantime if it is the same result.
TEST_F(Resume, WhatAnotherProcessMakesMeanwhileIsLookedAt) {
  for (const bool of_this_input : {true, false}) {
    const std::string out = of_this_input ? "o" : "p";
    RunningProgram batch(arguments(out, {"one", "two"}, {"--in-flight", "1"}));
    ASSERT_TRUE(batch.says_on_stderr("epoch "));
    batch.send(SIGSTOP);
    const bool at_first = fs::exists(path(out + "/.one.claim"));
    const std::string present = at_first ? "one" : "two", other = at_first ? "two" : "one";
    EXPECT_EQ(run_program(arguments(out + "/" + other, {of_this_input ? other : present})).status, 0);
    batch.send(SIGCONT);
    const auto result = batch.wait();
    EXPECT_EQ(result.status, of_this_input ? 0 : 7) << result.err;
    const char* reason =
        of_this_input ? "another process has written it in the meantime" : "is a result of another input";
    EXPECT_NE(result.err.find(reason), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace beatscan
