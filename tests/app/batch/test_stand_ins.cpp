#include "app/batch/stand_ins.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kernels/machine/host_threads.h"
#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

// Starts stand-ins that write a file for each recording, with the process and its threads.
class StandInProcesses : public testing::Test {
 protected:
  StandIns::MakeWork work() {
    return [this](const Gpu& gpu) -> StandIns::Work {
      return [this, gpu](std::size_t recording, bool resume) {
        if (recording == 11) throw std::bad_alloc();
        if (recording == 7) throw Error(ErrorKind::input, "no such recording");
        if (recording == 8) throw Error(ErrorKind::device, "no such GPU");
        if (recording == 9) kill(getpid(), SIGKILL);
        if (recording == 10)
          while (true) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            folder_.write("10", "begun");
            throw_if_interrupted();
          }
        folder_.write(std::to_string(recording), std::to_string(getpid()) + " " + std::to_string(gpu.number) + " " +
                                                     std::to_string(host_threads()) + (resume ? " resumed" : ""));
      };
    };
  }
  std::string file(const std::string& name) const { return contents_of(folder_.path() / name); }
  static StandIn::Order order(std::size_t recording) { return {.recording = recording, .resume = false, .threads = 1}; }
  static std::string error_of(StandIn& process, std::size_t recording, ErrorKind kind) {
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

TEST_F(StandInProcesses, EachIsAProcessOfItsOwn) {
  const StandIns stand_ins(work());
  std::set<std::string> processes{std::to_string(getpid())};
  for (const std::size_t first : {1, 3}) {
    const auto process = stand_ins.start(gpu_);
    process->analyse({.recording = first, .resume = false, .threads = 3}, "r.csv");
    process->analyse({.recording = first + 1, .resume = false, .threads = 3}, "r.csv");
    EXPECT_EQ(file(std::to_string(first)), file(std::to_string(first + 1))) << "one process for both";
    EXPECT_TRUE(file(std::to_string(first)).ends_with(" 5 3"));
    processes.insert(file(std::to_string(first)));
  }
  EXPECT_EQ(processes.size(), 3u);
}

TEST_F(StandInProcesses, AnErrorIsThrownHere) {
  const StandIns stand_ins(work());
  const auto process = stand_ins.start(gpu_);
  EXPECT_EQ(error_of(*process, 7, ErrorKind::input), "no such recording");
  EXPECT_EQ(error_of(*process, 11, ErrorKind::internal), "r.csv: out of memory");
  process->analyse({.recording = 1, .resume = true, .threads = 1}, "r.csv");
  EXPECT_TRUE(file("1").ends_with(" resumed")) << file("1");
  EXPECT_FALSE(process->has_ended());
  EXPECT_EQ(error_of(*process, 8, ErrorKind::device), "no such GPU");
  EXPECT_TRUE(process->has_ended()) << "with its GPU";
  EXPECT_NE(error_of(*process, 1, ErrorKind::device), "");
}

TEST_F(StandInProcesses, OneThatIsKilledIsAnError) {
  const StandIns stand_ins(work());
  EXPECT_EQ(error_of(*stand_ins.start(gpu_), 9, ErrorKind::internal),
            "r.csv: the process that analysed it has ended before it was done");
  stand_ins.start(gpu_)->analyse(order(1), "r.csv");
}

TEST_F(StandInProcesses, SeveralWorkAtATime) {
  const StandIns stand_ins(work());
  std::vector<std::jthread> threads;
  for (std::size_t i = 20; i < 28; ++i)
    threads.emplace_back([&, i] { stand_ins.start(gpu_)->analyse(order(i), "r.csv"); });
  threads.clear();
  for (std::size_t i = 20; i < 28; ++i) EXPECT_NE(file(std::to_string(i)), "") << i;
}

TEST_F(StandInProcesses, ASignalStopsThem) {
  catch_signals();
  const StandIns stand_ins(work());
  const auto process = stand_ins.start(gpu_);
  std::jthread signal([&] {
    while (file("10").empty()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    pretend_signal(SIGTERM);
  });
  EXPECT_THROW(process->analyse(order(10), "r.csv"), Interrupted);
  pretend_signal(0);
  std::filesystem::remove(folder_.path() / "10");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "10")) << "it still works";
}

// An object without a process stands for one that could not be started.
TEST_F(StandInProcesses, NoneIsAnErrorOfTheDevice) {
  StandIn none(-1);
  EXPECT_NE(error_of(none, 1, ErrorKind::device), "");
}

}  // namespace
}  // namespace beatscan
