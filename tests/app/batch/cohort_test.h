// tests/app/batch/cohort_test.h — shared by tests of batches: recordings, a list of them, and the program.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "tests/support/result_files.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {

class Cohort : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void SetUp() override {
    std::filesystem::create_directories(path("d/x"));
    for (int i = 0; i < 4; ++i)
      generate(Cpu(1), {.samples = 10'000, .abnormal_share = 0.1, .seed = static_cast<std::uint64_t>(i)},
               path("d/r" + std::to_string(i) + ".csv"));
    std::filesystem::copy_file(path("d/r3.csv"), path("d/x/r0.csv"));
    folder_.write("d/bad.csv", "mV\n1\noops\n");
    folder_.write("d/list.csv", kList);
  }
  std::vector<std::string> arguments(const std::string& out, std::vector<std::string> more) const {
    std::vector<std::string> all = {"run",   "--out",        path(out),      "--device", "cpu",
                                    "--set", "vae.epochs=2", "--log-format", "json"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  ProgramResult run(const std::string& out, const std::vector<std::string>& more = {},
                    const std::string& list = "d/list.csv", std::vector<std::string> environment = {}) const {
    std::vector<std::string> all = arguments(out, {"--list", path(list)});
    all.insert(all.end(), more.begin(), more.end());
    return run_program(command_of(all, std::move(environment)));
  }
  ProgramResult cohort(const std::string& out, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"cohort", path(out)};
    all.insert(all.end(), more.begin(), more.end());
    return run_program(all);
  }
  std::string text(const std::string& name) const { return contents_of(path(name)); }
  void expect_same_cohort(const std::string& one, const std::string& other) const {
    for (const std::string name : {"r0", "r0-2", "two", "r2", "r3"})
      EXPECT_EQ(difference_of_results(path(one + "/" + name), path(other + "/" + name)), "") << name;
    for (const std::string file : {"/cohort.csv", "/failures.csv", "/index.html"})
      EXPECT_EQ(text(one + file), text(other + file));
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

  const std::string kList =
      "# a cohort\ninput,rate,truth,name\nr3.csv,250,,\nr0.csv,250,r0.truth.csv,\nbad.csv,250,,\ngone.csv,250,,\n"
      "r1.csv,250,,two\nx/r0.csv,250,,\nr2.csv,250,,\nr2.csv,250,,\n";
  TemporaryFolder folder_;
};

}  // namespace beatscan
