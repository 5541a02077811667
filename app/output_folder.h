// app/output_folder.h — a folder of results that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace beatscan {

// Files are written to a hidden folder beside the target; commit() puts it in the target's place. Destruction without
// commit() removes it, and the parent folders that were made for it. Errors are Status::output and name the path.
class OutputFolder {
 public:
  // Refuses a target that exists, unless `force` is given and it is an earlier result (or empty).
  OutputFolder(std::filesystem::path target, bool force);
  ~OutputFolder();
  OutputFolder(OutputFolder&&) = delete;

  void write(const std::filesystem::path& name, std::string_view content);
  void commit();

  // Where the files are until then.
  const std::filesystem::path& partial() const { return partial_; }

 private:
  void remove_partial();

  std::filesystem::path target_, partial_;
  bool force_;
  std::vector<std::filesystem::path> made_parents_;  // innermost first
};

// Throws Status::output where a result must not, or cannot, be put at `target`.
void check_output_folder(const std::filesystem::path& target, bool force);

}  // namespace beatscan
