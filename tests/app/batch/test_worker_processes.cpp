#include "app/batch/worker_processes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "app/batch/devices.h"
#include "app/output/tables/parquet.h"
#include "kernels/machine/host_threads.h"
#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

// Starts worker processes that write a file for each recording, with the process and its threads.
class WorkerProcessTest : public testing::Test {
 protected:
  WorkerProcesses::MakeWork work() {
    return [this](const Gpu& gpu) -> WorkerProcesses::Work {
      const auto analyse = [this, gpu](std::size_t recording, bool resume) {
        if (recording == 11) throw std::bad_alloc();
        if (recording == 7) throw Error(ErrorKind::input, "no such recording");
        if (recording == 8) throw Error(ErrorKind::device, "no such GPU");
        if (recording == 14) {
          folder_.write("memory", "lacks");
          throw Error(ErrorKind::device, "too little memory");
        }
        if (recording == 9) kill(getpid(), SIGKILL);
        if (recording == 10) work_for_ever("10");
        if (recording == 12) wait_for_request("12");
        if (recording == 13) write_parquet("13");
        folder_.write(std::to_string(recording), std::to_string(getpid()) + " " + std::to_string(gpu.number) + " " +
                                                     std::to_string(host_threads()) + (resume ? " resumed" : ""));
      };
      // It continues after recording 14.
      return {analyse, [this] { return std::filesystem::exists(folder_.path() / "memory"); }};
    };
  }
  void work_for_ever(const std::string& file) const {
    while (true) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      folder_.write(file, std::to_string(getpid()));
      throw_if_interrupted();
    }
  }
  void wait_for_request(const std::string& file) const {
    const int before = checkpoint_requests();
    folder_.write(file, "waits");
    while (checkpoint_requests() == before) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  void write_parquet(const std::string& file) const {
    const Table table{.rows = 3, .columns = {{"x", "mV", Floats{{1, 2, 3}}}}};
    const auto path = folder_.write(file + ".parquet", parquet_bytes(table));
    const auto back = std::get<Floats>(read_parquet(path).columns.at(0).cells).values;
    folder_.write(file + ".read", back == std::vector<float>{1, 2, 3} ? "the same" : "others");
  }
  // Waits until a worker process has started a recording, and returns what it wrote.
  std::string begun(const std::string& name) const {
    while (file(name).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return file(name);
  }
  // Returns whether a worker process with endless work has stopped.
  bool has_stopped(const std::string& name) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::filesystem::remove(folder_.path() / name);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return !std::filesystem::exists(folder_.path() / name);
  }
  std::string file(const std::string& name) const { return contents_of(folder_.path() / name); }
  static WorkerProcess::Order order(std::size_t recording) {
    return {.recording = recording, .resume = false, .threads = 1};
  }
  static std::string error_of(WorkerProcess& process, std::size_t recording, ErrorKind kind) {
    try {
      process.analyse(order(recording), "r.csv");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "";
  }
  TemporaryFolder folder_;
  const Gpu gpu_{.device = 2, .number = 5};
};

TEST_F(WorkerProcessTest, EachIsAProcessOfItsOwn) {
  const WorkerProcesses worker_processes(work());
  std::set<std::string> processes{std::to_string(getpid())};
  for (const std::size_t first : {1, 3}) {
    const auto process = worker_processes.start(gpu_);
    process->analyse({.recording = first, .resume = false, .threads = 3}, "r.csv");
    process->analyse({.recording = first + 1, .resume = false, .threads = 3}, "r.csv");
    EXPECT_EQ(file(std::to_string(first)), file(std::to_string(first + 1))) << "one process for both";
    EXPECT_TRUE(file(std::to_string(first)).ends_with(" 5 3"));
    processes.insert(file(std::to_string(first)));
  }
  EXPECT_EQ(processes.size(), 3u);
}

TEST_F(WorkerProcessTest, AnErrorIsThrownHere) {
  const WorkerProcesses worker_processes(work());
  const auto process = worker_processes.start(gpu_);
  EXPECT_EQ(error_of(*process, 7, ErrorKind::input), "no such recording");
  EXPECT_EQ(error_of(*process, 11, ErrorKind::internal), "r.csv: out of memory");
  process->analyse({.recording = 1, .resume = true, .threads = 1}, "r.csv");
  EXPECT_TRUE(file("1").ends_with(" resumed")) << file("1");
  EXPECT_FALSE(process->has_ended());
  EXPECT_EQ(error_of(*process, 8, ErrorKind::device), "no such GPU");
  EXPECT_TRUE(process->has_ended()) << "with its GPU";
  const auto other = worker_processes.start(gpu_);
  EXPECT_EQ(error_of(*other, 14, ErrorKind::device), "too little memory");
  EXPECT_FALSE(other->has_ended()) << "its GPU works";
  other->analyse(order(2), "r.csv");
  EXPECT_NE(error_of(*process, 1, ErrorKind::device), "");
}

TEST_F(WorkerProcessTest, OneThatIsKilledIsAnError) {
  const WorkerProcesses worker_processes(work());
  EXPECT_EQ(error_of(*worker_processes.start(gpu_), 9, ErrorKind::device),
            "r.csv: the process that analysed it ended early");
  worker_processes.start(gpu_)->analyse(order(1), "r.csv");
}

TEST_F(WorkerProcessTest, SeveralWorkAtATime) {
  const WorkerProcesses worker_processes(work());
  std::vector<std::jthread> threads;
  for (std::size_t i = 20; i < 28; ++i)
    threads.emplace_back([&, i] { worker_processes.start(gpu_)->analyse(order(i), "r.csv"); });
  threads.clear();
  for (std::size_t i = 20; i < 28; ++i) EXPECT_NE(file(std::to_string(i)), "") << i;
}

TEST_F(WorkerProcessTest, ASignalStopsThem) {
  catch_signals();
  const WorkerProcesses worker_processes(work());
  const auto process = worker_processes.start(gpu_);
  std::jthread signal([&] {
    begun("10");
    pretend_signal(SIGTERM);
  });
  EXPECT_THROW(process->analyse(order(10), "r.csv"), Interrupted);
  pretend_signal(0);
  EXPECT_TRUE(has_stopped("10"));
}

// A signal for all processes may reach the worker process first. A signal for the worker process alone is an error of
// its recording.
TEST_F(WorkerProcessTest, ASignalMayComeThereFirst) {
  catch_signals();
  const WorkerProcesses worker_processes(work());
  for (const bool comes_here : {true, false}) {
    std::jthread signal([&] {
      kill(std::stoi(begun("10")), SIGTERM);
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      if (comes_here) pretend_signal(SIGTERM);
    });
    const auto process = worker_processes.start(gpu_);
    if (comes_here)
      EXPECT_THROW(process->analyse(order(10), "r.csv"), Interrupted);
    else
      EXPECT_EQ(error_of(*process, 10, ErrorKind::internal),
                "r.csv: the process that analysed it was stopped by a signal");
    pretend_signal(0);
    EXPECT_TRUE(has_stopped("10"));
    signal.join();
  }
}

TEST_F(WorkerProcessTest, ARequestForACheckpointIsPassedOn) {
  catch_signals();
  const WorkerProcesses worker_processes(work());
  std::jthread request([&] {
    begun("12");
    raise(SIGUSR1);
  });
  worker_processes.start(gpu_)->analyse(order(12), "r.csv");
}

// Arrow starts a thread when it is loaded, which happens before the batch forks. The copy lacks this thread.
TEST_F(WorkerProcessTest, ParquetIsWrittenThere) {
  if (arrow_version().empty()) GTEST_SKIP() << "built without Arrow";
  const WorkerProcesses worker_processes(work());
  worker_processes.start(gpu_)->analyse(order(13), "r.csv");
  EXPECT_EQ(file("13.read"), "the same");
}

TEST_F(WorkerProcessTest, TheyEndWithAKilledBatch) {
  const pid_t batch = fork();
  if (batch == 0) {
    const WorkerProcesses worker_processes(work());
    worker_processes.start(gpu_)->analyse(order(10), "r.csv");
    _exit(0);
  }
  begun("10");
  kill(batch, SIGKILL);
  waitpid(batch, nullptr, 0);
  EXPECT_TRUE(has_stopped("10"));
}

// Otherwise each batch leaves a zombie to its parent.
TEST_F(WorkerProcessTest, TheCopyIsWaitedFor) {
  { const WorkerProcesses worker_processes(work()); }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
}

// An object without a process, as after a failed start.
TEST_F(WorkerProcessTest, NoneIsAnErrorOfTheDevice) {
  WorkerProcess none(-1);
  EXPECT_NE(error_of(none, 1, ErrorKind::device), "");
}

}  // namespace
}  // namespace beatscan
