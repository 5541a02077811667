// tests/support/result_files.h — reads the files of a result, and compares those of two runs.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/support/temporary_folder.h"

namespace beatscan {

using Files = std::map<std::string, std::string>;  // contents by path in the folder

inline Files files_of(const std::filesystem::path& folder) {
  Files files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[std::filesystem::relative(entry.path(), folder).string()] = contents_of(entry.path());
  return files;
}

// The names in a folder, also hidden ones.
inline std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

// The files without what differs between runs: "run" in summary.json (times, command line), and report.html.
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

// Returns the differences between two results as text; "" if there are none. Compares all files byte by byte, except
// "run" in summary.json and report.html, which describe the run.
inline std::string difference_of_results(const std::filesystem::path& one, const std::filesystem::path& other) {
  auto first = files_of(one), second = files_of(other);
  for (auto* files : {&first, &second}) {
    const auto summary = files->find("summary.json");
    if (summary == files->end()) return "there is no summary.json";
    auto json = nlohmann::ordered_json::parse(summary->second, nullptr, false);
    if (json.is_discarded() || json.erase("run") != 1) return "summary.json is not whole";
    summary->second = json.dump();
    const auto report = files->find("report.html");
    if (report == files->end()) return "there is no report.html";
    if (!report->second.ends_with("</html>\n")) return "report.html is not whole";
    files->erase(report);
  }
  if (first.size() != second.size()) return "not the same files";
  for (const auto& [name, content] : first)
    if (!second.contains(name) || second.at(name) != content) return name + " differs";
  return "";
}

}  // namespace beatscan
