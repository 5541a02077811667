// tests/result_files.h — the files of results, and whether those of two runs are the same bytes.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/temporary_folder.h"

namespace beatscan {

using Files = std::map<std::string, std::string>;  // contents by path in the folder

inline Files files_of(const std::filesystem::path& folder) {
  Files files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[std::filesystem::relative(entry.path(), folder).string()] = contents_of(entry.path());
  return files;
}

// Without how the run went (times, command line), which summary.json tells under "run", and report.html too.
inline Files result_files(const std::filesystem::path& folder) {
  Files files = files_of(folder);
  auto summary = nlohmann::ordered_json::parse(files["summary.json"], nullptr, false);
  EXPECT_TRUE(summary.is_object() && summary.contains("run")) << folder << ": no summary.json";
  if (summary.is_object()) summary.erase("run");
  files["summary.json"] = summary.dump();
  EXPECT_EQ(files.erase("report.html"), 1u) << folder;
  return files;
}

inline void expect_same_files(const Files& one, const Files& other) {
  EXPECT_EQ(one.size(), other.size());
  for (const auto& [name, content] : one) {
    const auto found = other.find(name);
    if (found == other.end())
      ADD_FAILURE() << name << " is missing";
    else
      EXPECT_TRUE(found->second == content) << name << " differs";
  }
}

}  // namespace beatscan
