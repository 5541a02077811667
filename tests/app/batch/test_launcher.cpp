#include "app/batch/shard.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Variables = std::map<std::string, std::string>;

Launch launched(const Variables& variables) {
  return launch_of([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

ShardChoice shared(const Variables& variables, const std::string& value = "auto", bool several = true) {
  return shard_of(value, launched(variables), several);
}

// "2/8", and its source.
std::string shard_text(const Variables& variables) {
  const ShardChoice choice = shared(variables);
  return std::to_string(choice.shard.index) + "/" + std::to_string(choice.shard.count) + " " + choice.from;
}

// Returns the variables that Slurm sets for the array's task `id` of 3, 5, 7 and 9.
Variables array(const std::string& id) {
  return {{"SLURM_JOB_ID", "9"},         {"SLURM_ARRAY_TASK_ID", id},   {"SLURM_ARRAY_TASK_COUNT", "4"},
          {"SLURM_ARRAY_TASK_MIN", "3"}, {"SLURM_ARRAY_TASK_MAX", "9"}, {"SLURM_ARRAY_TASK_STEP", "2"},
          {"SLURM_NTASKS", "1"},         {"SLURM_PROCID", "0"},         {"SLURM_LOCALID", "0"}};
}

Variables srun(const std::string& rank, const std::string& size) {
  return {{"SLURM_JOB_ID", "9"},  {"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", rank},
          {"SLURM_NTASKS", size}, {"SLURM_LOCALID", "1"}, {"SLURM_STEP_TASKS_PER_NODE", "4(x2),3"},
          {"SLURM_NODEID", "2"}};
}

Variables both(Variables one, const Variables& other) {
  for (const auto& [name, value] : other) one[name] = value;
  return one;
}

const Variables kTorchrun = {{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "4"}};
const Variables kOpenMpi = {{"OMPI_COMM_WORLD_RANK", "1"},
                            {"OMPI_COMM_WORLD_SIZE", "3"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}};

TEST(Launcher, IsDetected) {
  EXPECT_EQ(shard_text(kTorchrun), "5/8 task 5 of 8 of torchrun");
  EXPECT_EQ(shard_text(kOpenMpi), "1/3 task 1 of 3 of mpirun");
  EXPECT_EQ(shard_text(srun("10", "11")), "10/11 task 10 of 11 of srun");
  EXPECT_EQ(shard_text(array("7")), "2/4 task 2 of 4 of the job array");
  EXPECT_EQ(shard_text({{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}}), "1/2 task 1 of 2 of srun");
}

TEST(Launcher, TheInnermostCounts) {
  EXPECT_EQ(shard_text(both(srun("0", "2"), kTorchrun)), "5/8 task 5 of 8 of torchrun");
  EXPECT_EQ(shard_text(both(srun("0", "2"), kOpenMpi)), "1/3 task 1 of 3 of mpirun");
}

TEST(Launcher, AnArrayOfJobsWithTasksIsSharedAmongAll) {
  EXPECT_EQ(shard_text(both(array("5"), srun("2", "3"))), "5/12 task 1 of 4 of the job array, task 2 of 3 of srun");
  Variables in_order = {{"SLURM_ARRAY_TASK_ID", "1"},
                        {"SLURM_ARRAY_TASK_COUNT", "2"},
                        {"SLURM_ARRAY_TASK_MIN", "0"},
                        {"SLURM_ARRAY_TASK_MAX", "1"}};
  EXPECT_EQ(shard_text(both(in_order, kTorchrun)), "13/16 task 1 of 2 of the job array, task 5 of 8 of torchrun");
}

TEST(Launcher, LocalTasksShareTheGpus) {
  EXPECT_EQ(launched(kTorchrun).local->rank, 1);
  EXPECT_EQ(launched(kTorchrun).local->size, 4);
  EXPECT_EQ(launched(kOpenMpi).local->size, 3);
  EXPECT_EQ(launched(srun("9", "11")).local->size, 3) << "the third node has three tasks";
  EXPECT_FALSE(launched(array("3")).local) << "other processes on the host are unknown";
  EXPECT_EQ(gpus_of_task({.rank = 1, .size = 4}, 4), (std::vector<int>{1}));
  EXPECT_EQ(gpus_of_task({.rank = 5, .size = 8}, 4), (std::vector<int>{1}));
  EXPECT_EQ(gpus_of_task({.rank = 1, .size = 2}, 4), (std::vector<int>{1, 3}));
  EXPECT_EQ(gpus_of_task({.rank = 3, .size = 0}, 2), (std::vector<int>{1}));
  EXPECT_EQ(gpus_of_task({.rank = 3, .size = 4}, 0), std::vector<int>());
}

TEST(Launcher, ABatchScriptWithoutSrunRunsOnce) {
  Variables script = srun("0", "4");
  script.erase("SLURM_STEP_ID");
  const ShardChoice choice = shared(script);
  EXPECT_TRUE(choice.shard.whole()) << "no other process would do the rest";
  ASSERT_EQ(choice.warnings.size(), 1u);
  EXPECT_NE(choice.warnings[0].find("has 4 tasks, and the program was started once: srun starts it in each"),
            std::string::npos);
  EXPECT_EQ(shared(script, "").warnings.size(), 1u);
  EXPECT_TRUE(shared(script, "", false).warnings.empty()) << "one recording: the tasks may represent processors";
  EXPECT_EQ(shard_text({{"SLURM_JOB_ID", "9"}, {"SLURM_NTASKS", "1"}, {"SLURM_PROCID", "0"}}), "0/1 ");
}

TEST(Launcher, ThatIsNotMadeUseOfIsWarnedOf) {
  for (const auto& variables : {kTorchrun, kOpenMpi, srun("1", "2"), array("3")}) {
    const ShardChoice choice = shared(variables, "");
    EXPECT_TRUE(choice.shard.whole());
    ASSERT_EQ(choice.warnings.size(), 1u);
    EXPECT_NE(choice.warnings[0].find("--shard auto shares it among them"), std::string::npos);
    EXPECT_TRUE(shared(variables, "0/2").warnings.empty());
  }
  EXPECT_TRUE(shared(array("3"), "", false).warnings.empty()) << "one recording a job of the array is usual";
  EXPECT_TRUE(shared(srun("0", "1"), "").warnings.empty());
  EXPECT_TRUE(shared({}, "").warnings.empty());
  const ShardChoice alone = shared({});
  EXPECT_TRUE(alone.shard.whole());
  ASSERT_EQ(alone.warnings.size(), 1u);
  EXPECT_NE(alone.warnings[0].find("no srun, mpirun, torchrun or job array started this"), std::string::npos);
}

TEST(Launcher, WhatContradictsItselfIsRefused) {
  const auto refused = [](const std::string& part, const Variables& variables) {
    expect_error(ErrorKind::usage, part, [&] { shared(variables); });
  };
  refused("WORLD_SIZE=0: there is at least one task", {{"RANK", "0"}, {"WORLD_SIZE", "0"}});
  refused("RANK=2 is out of range: WORLD_SIZE is 2", {{"RANK", "2"}, {"WORLD_SIZE", "2"}});
  refused("RANK=-1 is out of range", {{"RANK", "-1"}, {"WORLD_SIZE", "2"}});
  refused("WORLD_SIZE is set and RANK is not", {{"WORLD_SIZE", "2"}});
  refused("OMPI_COMM_WORLD_RANK='x' is not a whole number",
          {{"OMPI_COMM_WORLD_RANK", "x"}, {"OMPI_COMM_WORLD_SIZE", "2"}});
  Variables far = array("3");
  far["SLURM_ARRAY_TASK_MIN"] = "-9223372036854775808";
  refused("SLURM_ARRAY_TASK_MIN='-9223372036854775808' is not a whole number of at most 1000000000", far);
  refused("SLURM_PROCID=4 is out of range", srun("4", "4"));
  refused("SLURM_NTASKS=0: there is at least one task", srun("1", "0"));
  refused("SLURM_ARRAY_TASK_ID=11 is out of range: the array has 3 to 9", array("11"));
  Variables holes = array("3");
  holes["SLURM_ARRAY_TASK_COUNT"] = "3";
  refused("the numbers of the job array have gaps (3 tasks from 3 to 9)", holes);
  refused("OMPI_COMM_WORLD_RANK is set and OMPI_COMM_WORLD_SIZE is not", {{"OMPI_COMM_WORLD_RANK", "1"}});
  refused("SLURM_PROCID is set and SLURM_NTASKS is not", {{"SLURM_PROCID", "1"}});
  EXPECT_FALSE(launched({{"SLURM_JOB_ID", "9"}, {"SLURM_PROCID", "0"}}).tasks) << "a batch script of one task";
  EXPECT_EQ(launched({{"RANK", "7"}}).tasks.has_value(), false) << "RANK alone belongs to another program";
}

}  // namespace
}  // namespace beatscan
