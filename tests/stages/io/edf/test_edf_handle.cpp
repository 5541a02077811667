// Opens EDF files as often as EDFlib can.
#include "stages/io/edf/edf_handle.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "tests/stages/io/edf/edf_bytes.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

using namespace std::chrono_literals;

const Edf kWhole = {{{.physical_min = "-32768", .physical_max = "32767"}}};

class EdfHandles : public testing::Test {
 protected:
  std::shared_ptr<const InputFile> file(int number) {
    const auto bytes = bytes_of(kWhole, {number, number + 1, number + 2, number + 3, 5, 6, 7, 8});
    return std::make_shared<const InputFile>(folder_.write("x" + std::to_string(number) + ".edf", bytes));
  }
  TemporaryFolder folder_;
};

std::vector<float> values_of(EdfHandle& handle, std::int64_t first, std::size_t count) {
  std::vector<float> values(count);
  handle.read(0, first, values);
  return values;
}

TEST_F(EdfHandles, ReadFromAnySample) {
  EdfHandle handle(file(20));
  EXPECT_EQ(values_of(handle, 2, 5), (std::vector<float>{22, 23, 5, 6, 7}));
  EXPECT_EQ(values_of(handle, 0, 1), (std::vector<float>{20}));
  EXPECT_EQ(values_of(handle, 8, 0), (std::vector<float>{}));
  expect_error(ErrorKind::input, "x20.edf: became shorter while it was read", [&] { values_of(handle, 6, 3); });
}

TEST_F(EdfHandles, OnOneFileReadIndependently) {
  EdfHandle first(file(30));
  const auto second = first.again(1), third = first.again(2);
  ASSERT_TRUE(second && third);
  EXPECT_EQ(first.again(1), nullptr) << "EDFlib has that path open";
  EXPECT_EQ(values_of(*second, 1, 2), (std::vector<float>{31, 32}));
  EXPECT_EQ(values_of(first, 4, 2), (std::vector<float>{5, 6}));
  EXPECT_EQ(values_of(*third, 3, 2), (std::vector<float>{33, 5}));
}

// A batch on a host of many processors reads more files at a time than EDFlib can have open. Copies leave room for
// them.
TEST_F(EdfHandles, WaitWhereEdflibHasNoRoom) {
  std::vector<std::unique_ptr<EdfHandle>> handles;
  handles.push_back(std::make_unique<EdfHandle>(file(1)));
  while (auto another = handles.front()->again(static_cast<int>(handles.size()))) handles.push_back(std::move(another));
  EXPECT_EQ(std::ssize(handles), 1 + most_edf_copies());
  while (handles.size() < 64) handles.push_back(std::make_unique<EdfHandle>(file(1)));
  auto waiting = std::async(std::launch::async, [another = file(2)] {
    EdfHandle handle(another);
    return values_of(handle, 0, 2);
  });
  EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
  handles.pop_back();
  EXPECT_EQ(waiting.get(), (std::vector<float>{2, 3}));
  handles.resize(1);
  EXPECT_TRUE(handles.front()->again(1)) << "copies that were closed do not count";
}

TEST_F(EdfHandles, AreNoCopiesWhereFewFilesMayBeOpen) {
  const EdfHandle handle(file(1));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{200, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  EXPECT_EQ(handle.again(1), nullptr);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(EdfHandles, SayWhyAFileIsRefused) {
  const auto whole = file(1);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  expect_error(ErrorKind::input, "x1.edf: cannot be opened by EDFlib; raise the limit of open files (ulimit -n)",
               [&] { EdfHandle handle(whole); });
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  auto bytes = bytes_of(kWhole, {1, 2, 3, 4});
  bytes[236] = 'x';  // the number of data records
  const auto broken = std::make_shared<const InputFile>(folder_.write("broken.edf", bytes));
  expect_error(ErrorKind::input, "broken.edf: does not follow EDF's specification", [&] { EdfHandle handle(broken); });
}

}  // namespace
}  // namespace beatscan
