#include "kernels/machine/processor_set.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

TEST(ProcessorSet, IsReadFromALinuxList) {
  EXPECT_EQ(processors_in("0-3,8,10-11"), (ProcessorSet{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(processors_in("7"), ProcessorSet{7});
  EXPECT_EQ(processors_in("2-2"), ProcessorSet{2});
}

TEST(ProcessorSet, OfWhatIsNoListIsEmpty) {
  for (const char* text : {"", ",", "1,", "a", "1-", "3-1", "-1", "1 2", "0-99999999999", "1,x", "16384", "0-3\n"})
    EXPECT_TRUE(processors_in(text).empty()) << text;
}

TEST(ProcessorSet, NearADeviceIsInTheFolderOfTheSystem) {
  const TemporaryFolder folder;
  for (const char* device : {"0000:3b:00.0", "0000:5e:00.0"}) std::filesystem::create_directory(folder.path() / device);
  folder.write("0000:3b:00.0/local_cpulist", "0-1,4\n");
  folder.write("0000:5e:00.0/local_cpulist", "\n");
  EXPECT_EQ(processors_near("0000:3B:00.0", folder.path()), (ProcessorSet{0, 1, 4}));
  EXPECT_TRUE(processors_near("0000:5E:00.0", folder.path()).empty());
  EXPECT_TRUE(processors_near("0000:AF:00.0", folder.path()).empty());
  EXPECT_TRUE(processors_near("", folder.path()).empty());
}

class OnOneProcessor : public testing::Test {
 protected:
  void SetUp() override { ASSERT_FALSE(before_.empty()); }
  const ProcessorSet before_ = processors_of_this_thread(), last_ = {*before_.rbegin()};
};

TEST_F(OnOneProcessor, AreTheThreadAndThoseThatItStarts) {
  {
    const OnProcessors on(last_);
    EXPECT_EQ(processors_of_this_thread(), last_);
    std::thread([&] { EXPECT_EQ(processors_of_this_thread(), last_); }).join();
    {
      const OnProcessors all(before_);
      EXPECT_EQ(processors_of_this_thread(), before_);
    }
    EXPECT_EQ(processors_of_this_thread(), last_);
  }
  EXPECT_EQ(processors_of_this_thread(), before_);
}

TEST_F(OnOneProcessor, NothingChangesWithoutAUsableSet) {
  for (const ProcessorSet& set : {ProcessorSet{}, ProcessorSet{16'000}}) {
    const OnProcessors on(set);
    EXPECT_EQ(processors_of_this_thread(), before_);
  }
  EXPECT_EQ(processors_of_this_thread(), before_);
}

}  // namespace
}  // namespace beatscan
