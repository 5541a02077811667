// Tests the whole program when memory runs out. At each site of its own code that allocates memory, one request fails,
// each in a separate process. The run must end with one line of error and status 1 and leave nothing behind. If it can
// do without the memory, it must write the same files as without the failure.
//
// BEATSCAN_TEST_SITES=N tries N sites, evenly spaced, of each way through the program (0: all; without it: 30).
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>

#include "app/batch/run_command.h"
#include "app/cli/command_line.h"
#include "app/common/log.h"
#include "app/pipeline/run_options.h"
#include "app/synthetic/generate.h"
#include "stages/model/vae.h"
#include "tests/allocations/failing.h"
#include "tests/paths/paths.h"
#include "tests/support/compressed.h"
#include "tests/support/result_files.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

struct Ended {
  int status;  // the exit status as in a shell; -1: the process did not end
  bool failed_as_planned;
  std::string err;
};

struct Way {
  CommonOptions common;
  RunOptions options;
};

class FailingAllocations : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(load_libtorch(), "");  // its initialisers are not our code
    allocations::prepare();
  }

  Way way(const std::string& input, std::vector<std::string> settings = {}) {
    Way way;
    settings.insert(settings.begin(), "vae.epochs=2");
    way.common.settings = std::move(settings);
    way.common.device = "cpu";
    way.common.force = true;
    way.options.inputs = {input};
    way.options.out = out_;
    return way;
  }

  std::string recording() {
    const auto csv = folder_.path() / "ecg.csv";
    generate(Cpu(1), {.samples = 10'000, .abnormal_share = 0.1}, csv);
    return csv.string();
  }

  // Runs the program in a separate process, with memory that fails as in `plan`.
  Ended run(const Way& way, const std::function<void()>& plan) {
    constexpr int kFailed = 64;  // the process writes this byte to a pipe if a request failed
    int tell[2];
    EXPECT_EQ(pipe(tell), 0);
    const pid_t process = fork();
    if (process == 0) {
      const int err = open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), none = open("/dev/null", O_RDWR);
      dup2(none, STDIN_FILENO), dup2(none, STDOUT_FILENO), dup2(err, STDERR_FILENO);
      tell_before_terminating();
      Log log(1, LogFormat::text);
      plan();
      const int status = exit_status_of(
          [&] { return static_cast<int>(beatscan::status_of(run_command(way.common, way.options, log))); }, log);
      const char answer = allocations::has_failed() ? kFailed : 0;
      allocations::stop();
      (void)!write(tell[1], &answer, 1);
      _exit(status);
    }
    close(tell[1]);
    const int status = status_of(process);
    char answer = 0;
    (void)!read(tell[0], &answer, 1);
    close(tell[0]);
    return {status, answer == kFailed, contents_of(err_)};
  }

  static int status_of(pid_t process) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    int state = 0;
    while (waitpid(process, &state, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) {
        kill(process, SIGKILL);
        waitpid(process, &state, 0);
        return -1;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
  }

  // Expects an empty results folder, and empties it. Files whose names begin with `kept` may exist.
  void expect_nothing_left(std::string_view kept = "") {
    for (const auto& entry : fs::directory_iterator(folder_.path() / "results"))
      EXPECT_TRUE(!kept.empty() && entry.path().filename().string().starts_with(kept)) << entry.path() << " is left";
    fs::remove_all(folder_.path() / "results");
    fs::create_directory(folder_.path() / "results");
  }

  void expect_the_usual_results(const Ended& ended, const Files& expected) {
    if (!fs::exists(out_ / "report.html")) {
      EXPECT_NE(ended.err.find("report.html was not written: out of memory"), std::string::npos) << ended.err;
      folder_.write("results/out/report.html", "");
    }
    expect_same_files(expected, result_files(out_));
    fs::remove_all(out_);
  }

  // Expects all of the results or none of them. LibTorch terminates the process if memory for some of its own objects
  // runs out; that is allowed if `libtorchs` shows that it made the request.
  void expect_whole_or_nothing(const Ended& ended, const Files& expected, bool libtorchs) {
    const bool ended_by_libtorch = libtorchs && (ended.status == 128 + SIGSEGV || ended.status == 128 + SIGABRT);
    if (ended.status == 0) {
      expect_the_usual_results(ended, expected);
    } else if (!ended_by_libtorch) {
      EXPECT_EQ(ended.status, 1) << ended.err;
      const std::string lines = "\n" + ended.err;
      const auto error = lines.find("\nerror: ");
      EXPECT_NE(error, std::string::npos) << ended.err;
      EXPECT_EQ(lines.find("\nerror: ", error + 1), std::string::npos) << ended.err;
      EXPECT_NE(lines.find("memory", error), std::string::npos) << ended.err;
    }
    const bool untidy = ended_by_libtorch || ended.err.find("while tidying up") != std::string::npos;
    expect_nothing_left(untidy ? ".out.partial-" : "");
  }

  // Makes requests fail at the sites that this way has and no earlier way had, or at as many of them as wanted.
  void refuse_each_site(const Way& way) {
    const Ended good = run(way, allocations::start_recording);
    ASSERT_EQ(good.status, 0) << good.err;
    const Files expected = result_files(out_);
    fs::remove_all(out_);
    std::vector<allocations::Site> sites;
    for (auto& site : allocations::recorded())
      if (known_.insert(site.id).second) sites.push_back(std::move(site));
    const char* wanted_text = std::getenv("BEATSCAN_TEST_SITES");
    const std::size_t wanted = wanted_text ? std::strtoul(wanted_text, nullptr, 10) : 30;
    const std::size_t step = wanted > 0 ? std::max<std::size_t>(sites.size() / wanted, 1) : 1;
    int refused = 0, did_without = 0, untidy = 0;
    for (std::size_t i = 0; i < sites.size(); i += step) {
      const auto& site = sites[i];
      for (const std::uint32_t request : std::set{0u, site.requests / 2}) {
        SCOPED_TRACE(site.where + "request " + std::to_string(request) + " of " + std::to_string(site.requests));
        const Ended ended = run(way, [&] { allocations::fail(site.id, request); });
        expect_whole_or_nothing(ended, expected, site.libtorchs);
        if (std::getenv("BEATSCAN_TEST_VERBOSE"))
          std::printf("%d %d %s%s %s\n", ended.failed_as_planned, ended.status, site.libtorchs ? "LibTorch for " : "",
                      site.where.c_str(), ended.err.c_str());
        refused += ended.failed_as_planned;
        did_without += ended.failed_as_planned && ended.status == 0;
        untidy += !ended.failed_as_planned && ended.status != 0;
      }
    }
    RecordProperty("sites", static_cast<int>(sites.size()));
    RecordProperty("refused", refused);
    std::printf("%zu new sites, %d requests refused, %d of them done without; %d more ended at once\n", sites.size(),
                refused, did_without, untidy);
    EXPECT_GT(refused, 0);
  }

  TemporaryFolder folder_;
  const fs::path out_ = folder_.path() / "results" / "out";
  const fs::path err_ = folder_.path() / "err";
  inline static std::set<std::uint64_t> known_;

  void SetUp() override { fs::create_directory(folder_.path() / "results"); }
};

TEST_F(FailingAllocations, RunOnCsv) {
  Way here = way(recording());
  here.common.sample_rate_hz = 250;
  here.options.truth = folder_.path() / "ecg.truth.csv";
  here.options.save_arrays = true;
  refuse_each_site(here);
}

TEST_F(FailingAllocations, PublishedRunOnCompressedCsv) {
  const std::string packed = gzip(contents_of(recording()));
  refuse_each_site(
      way(folder_.write("ecg.csv.gz", packed).string(), {"method=published", "ingest.sample_rate_hz=250"}));
}

TEST_F(FailingAllocations, RunOnTimesInZstd) {
  std::istringstream values(contents_of(recording()));
  std::string value, text = "time;mV\n";
  std::getline(values, value);
  for (int row = 0; std::getline(values, value); ++row)
    if (row % 1000 != 999) text += std::to_string(row / 250.0) + ";" + value + "\n";  // the missing rows become gaps
  refuse_each_site(way(folder_.write("ecg.csv.zst", zstd(text)).string()));
}

TEST_F(FailingAllocations, AutogradOnAWfdbRecord) {
  refuse_each_site(way(source_folder() + "/tests/reference/expected/wfdb/ecg",
                       {"vae.engine=autograd", "vae.least_steps=0", "vae.epochs=1"}));
}

TEST_F(FailingAllocations, ScoreByASavedModel) {
  Way trained = way(recording());
  trained.common.sample_rate_hz = 250;
  ASSERT_EQ(run(trained, allocations::stop).status, 0);
  fs::rename(out_ / "model.safetensors", folder_.path() / "model.safetensors");
  fs::remove_all(out_);
  trained.common.settings.clear();
  trained.options.model = folder_.path() / "model.safetensors";
  refuse_each_site(trained);
}

}  // namespace
}  // namespace beatscan
