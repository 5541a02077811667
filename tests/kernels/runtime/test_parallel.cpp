// Tests the threads that all work on the CPU runs on.
#include "kernels/runtime/parallel.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "kernels/machine/host_threads.h"
#include "kernels/machine/processor_set.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel_sort.h"

extern "C" void __tsan_init() __attribute__((weak));  // of ThreadSanitizer, if the program has it

namespace beatscan {
namespace {

TEST(RunParts, CallsEachPartOnce) {
  for (const std::int64_t parts : {0, 1, 2, 7, 500}) {
    std::vector<std::atomic<int>> calls(parts);
    run_parts(parts, [&](std::int64_t part) { ++calls[part]; });
    for (std::int64_t part = 0; part < parts; ++part) ASSERT_EQ(calls[part], 1) << part << " of " << parts;
  }
}

TEST(ParallelSort, SortsAsOneThreadDoes) {
  for (const std::int64_t count : {0, 1, 2, 15, 16, 17, 1000, 30000})
    for (const int threads : {1, 2, 3, 8}) {
      std::vector<std::uint64_t> values(count);
      for (std::int64_t i = 0; i < count; ++i) values[i] = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15 >> 50;
      auto expected = values;
      std::ranges::sort(expected);
      parallel_sort(Cpu(threads), values, 4);
      ASSERT_EQ(values, expected) << count << " values on " << threads << " threads";
    }
}

// A part that calls in turn must not wait for a thread that waits for it.
TEST(RunParts, WithinAPart) {
  std::atomic<int> calls = 0;
  run_parts(20, [&](std::int64_t) { run_parts(20, [&](std::int64_t) { ++calls; }); });
  EXPECT_EQ(calls, 400);
}

// The caller has done its own part. All other threads are held up in theirs, one of which divides its work into two
// that wait for each other: the second is the caller's.
TEST(RunParts, ACallerThatWaitsHelpsWithWhatAPartDivides) {
  const int threads = process_threads();
  if (threads == 1) GTEST_SKIP() << "there are no other threads";
  std::atomic<int> begun = 0, met = 0;
  std::atomic<bool> over = false;
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto wait_for = [&](const auto& condition) {
    while (!condition() && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
    return condition();
  };
  bool both_met = true;
  run_parts(threads, [&](std::int64_t part) {
    ++begun;
    if (part == 0) return;
    if (part + 1 < threads) {
      wait_for([&] { return over.load(); });
      return;
    }
    wait_for([&] { return begun == threads; });
    run_parts(2, [&](std::int64_t) {
      ++met;
      if (!wait_for([&] { return met == 2; })) both_met = false;
    });
    over = true;
  });
  EXPECT_TRUE(both_met);
}

TEST(RunParts, FromSeveralThreads) {
  std::atomic<std::int64_t> sum = 0;
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 5; ++caller)
      callers.emplace_back([&] {
        for (int round = 0; round < 200; ++round) run_parts(6, [&](std::int64_t part) { sum += part; });
      });
  }
  EXPECT_EQ(sum, 5 * 200 * 15);
}

TEST(RunParts, RethrowsTheFirstPartsExceptionWhenAllIsDone) {
  std::atomic<int> done = 0;
  try {
    run_parts(50, [&](std::int64_t part) {
      ++done;
      if (part >= 3) throw Error(ErrorKind::input, std::to_string(part));
    });
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "3");
  }
  EXPECT_EQ(done, 50);
}

// A context of a GPU may be used by the first function alone, because it runs where its device is the current one.
TEST(RunTogether, TheFirstRunsOnTheCallersThread) {
  for (int round = 0; round < 1000; ++round) {
    std::thread::id first;
    std::atomic<int> calls = 0;
    run_together([&] { first = std::this_thread::get_id(); }, [&] { ++calls; }, [&] { ++calls; });
    ASSERT_EQ(first, std::this_thread::get_id());
    ASSERT_EQ(calls, 2);
  }
}

// In a batch each recording has a share of the processors.
TEST(RunParts, AThreadWithAShareOfOneDoesAllPartsInTheirOrder) {
  const Share one = 1;
  const ShareOfThisThread share(&one);
  std::mutex mutex;
  std::vector<std::int64_t> parts;
  std::set<std::thread::id> threads;
  const auto work = [&](std::int64_t part) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // long enough for another thread to take a part
    const std::lock_guard lock(mutex);
    parts.push_back(part);
    threads.insert(std::this_thread::get_id());
    if (part == 1 || part == 3) throw Error(ErrorKind::input, std::to_string(part));
  };
  try {
    run_parts(5, work);
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "1");
  }
  EXPECT_EQ(parts, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

// The threads are started by the first caller, which may be kept on the processors near its GPU.
TEST(RunParts, OtherThreadsMayRunOnAllProcessorsWhereTheCallerMayNot) {
  const OnProcessors first({*processors_of_process().begin()});
  const auto caller = std::this_thread::get_id();
  for (int round = 0; round < 20; ++round)
    run_parts(8, [&](std::int64_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // long enough for another thread to take a part
      if (std::this_thread::get_id() == caller) return;
      EXPECT_EQ(processors_of_this_thread(), processors_of_process());
    });
}

// Calls run_parts with two parts and returns the share of the second, which another thread does while the first waits.
const Share* share_on_another_thread() {
  std::atomic<bool> over = false;
  const Share* seen = nullptr;
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  run_parts(2, [&](std::int64_t part) {
    if (part == 1) {
      seen = share_of_this_thread();
      over = true;
    }
    while (!over && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
  });
  return seen;
}

TEST(RunParts, OtherThreadsHaveTheShareOfTheirCaller) {
  if (process_threads() == 1) GTEST_SKIP() << "there are no other threads";
  const Share four = 4;
  {
    const ShareOfThisThread share(&four);
    EXPECT_EQ(share_on_another_thread(), &four);
  }
  EXPECT_EQ(share_on_another_thread(), nullptr);
}

TEST(ParallelFor, CoversTheRangeInOrderedDisjointParts) {
  for (const std::int64_t n : {0, 1, 9, 10, 11, 1000})
    for (const int threads : {1, 3, 8}) {
      std::vector<std::atomic<int>> seen(n);
      std::atomic<int> parts = 0;
      parallel_for(Cpu(threads), n, 10, [&](std::int64_t first, std::int64_t last) {
        ++parts;
        EXPECT_LT(first, last);
        for (std::int64_t i = first; i < last; ++i) ++seen[i];
      });
      for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(seen[i], 1) << i << " of " << n;
      EXPECT_LE(parts, threads);
      EXPECT_LE(parts, std::max<std::int64_t>(n / 10, n > 0)) << "parts of less than the grain";
    }
}

TEST(ParallelFor, RethrowsTheFirstExceptionWhenAllIsDone) {
  std::atomic<int> done = 0;
  try {
    parallel_for(Cpu(4), 400, 1, [&](std::int64_t first, std::int64_t) {
      ++done;
      if (first >= 100) throw Error(ErrorKind::input, std::to_string(first));
    });
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "100");
  }
  EXPECT_EQ(done, 4);
}

TEST(ParallelEach, TakesEachItemOnce) {
  for (const std::int64_t n : {0, 1, 3, 100})
    for (const int threads : {1, 4}) {
      std::vector<std::atomic<int>> seen(n);
      parallel_each(Cpu(threads), n, [&](std::int64_t i) { ++seen.at(i); });
      for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(seen[i], 1) << i << " of " << n;
    }
}

// The first item takes longest, and waits until all others are done.
// A forked process has none of the threads that its parent started.
TEST(RunParts, WorkInAForkedProcess) {
  if (__tsan_init) GTEST_SKIP() << "ThreadSanitizer lets a forked process start no threads";
  std::atomic<int> before = 0;
  run_parts(64, [&](std::int64_t) { ++before; });
  for (int repeat = 0; repeat < 20; ++repeat) {
    const pid_t process = fork();
    if (process == 0) {
      std::atomic<int> done = 0;
      for (int i = 0; i < 50; ++i) run_parts(64, [&](std::int64_t) { ++done; });
      _exit(done == 50 * 64 ? 0 : 1);
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    int state = 0;
    while (waitpid(process, &state, WNOHANG) == 0 && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (std::chrono::steady_clock::now() >= end) {
      kill(process, SIGKILL);
      waitpid(process, &state, 0);
      FAIL() << "it waits for threads that it does not have";
    }
    ASSERT_EQ(state, 0);
  }
}

TEST(ParallelEach, AnItemThatTakesLongHoldsUpNoOther) {
  if (process_threads() == 1) GTEST_SKIP() << "there are no other threads";
  std::atomic<int> done = 0;
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  parallel_each(Cpu(2), 20, [&](std::int64_t i) {
    while (i == 0 && done < 19 && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
    if (i == 0) {
      EXPECT_EQ(done, 19);
    }
    ++done;
  });
}

TEST(ParallelEach, RethrowsTheExceptionOfTheFirstItem) {
  try {
    parallel_each(Cpu(4), 40, [](std::int64_t i) {
      if (i >= 7) throw Error(ErrorKind::input, std::to_string(i));
    });
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "7");
  }
}

}  // namespace
}  // namespace beatscan
