#include "app/common/partial_file.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "kernels/runtime/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/few_descriptors.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

class PartialName : public testing::Test {
 protected:
  TemporaryFolder folder_;
  const fs::path target_ = folder_.path() / "o";
};

TEST_F(PartialName, AFolderThatCannotBeOpenedIsNotLeft) {
  {
    const NoMoreDescriptors none;
    expect_error(ErrorKind::output, "o: cannot be made (Too many open files)", [&] { new_partial_folder(target_); });
    expect_error(ErrorKind::output, "o: cannot be made (Too many open files)", [&] { new_partial_file(target_); });
  }
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

// Shards that start in one folder each clean it up. One may mistake another's new file for a temporary file of a killed
// program.
TEST_F(PartialName, AFolderIsMadeWhileOthersCleanUp) {
  std::vector<std::jthread> others;
  for (int i = 0; i < 2; ++i)
    others.emplace_back([this](std::stop_token stop) {
      while (!stop.stop_requested()) clean_up_folder_after_killed(folder_.path());
    });
  for (int i = 0; i < 3000; ++i) {
    const Partial partial = new_partial_folder(target_, TemporaryFilesOf::are_cleaned_up);
    ASSERT_TRUE(fs::is_directory(partial.path)) << i;
    remove_partial_folder(partial.path, {});
  }
}

TEST_F(PartialName, AFolderIsRemovedWithoutADescriptor) {
  const Partial partial = new_partial_folder(target_);
  fs::create_directories(partial.path / "report/arrays");
  for (const char* name : {"a.txt", "report/b.txt", "report/arrays/c.npy"})
    folder_.write((partial.path.filename() / name).string(), "x");
  {
    const NoMoreDescriptors none;
    remove_partial_folder(partial.path, {"a.txt", "report/b.txt", "report/arrays/c.npy", "never_made/d.txt"});
  }
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(PartialName, AFolderIsRemovedWithFilesThatNobodyNamed) {
  const Partial partial = new_partial_folder(target_);
  folder_.write((partial.path.filename() / "a.txt").string(), "x");
  remove_partial_folder(partial.path, {});
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

}  // namespace
}  // namespace beatscan
