// tests/kernels/machine/group_files.h — files of control groups, as tests make them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

namespace beatscan {

class GroupFiles : public testing::Test {
 protected:
  // Writes a file of a group; the root is "".
  void write(const std::string& group, const std::string& file, const std::string& text) {
    std::filesystem::create_directories(folder_.path() / group);
    folder_.write((std::filesystem::path(group) / file).string(), text);
  }
  TemporaryFolder folder_;  // stands for /sys/fs/cgroup
};

}  // namespace beatscan
