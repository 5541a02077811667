// app/partial_file.h — a file that appears under its name only when it is whole.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace beatscan {

// Throws Status::output where a result must not be written to `path`: a folder, or a file without `force`.
void check_writable(const std::filesystem::path& path, bool force);

// Writes to a temporary name beside the target; commit() renames it, destruction without commit() removes it.
// Errors are Status::output.
class PartialFile {
 public:
  explicit PartialFile(std::filesystem::path target);
  ~PartialFile();
  PartialFile(PartialFile&&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  [[noreturn]] void fail(const std::string& what) const;
  void remove();

  std::filesystem::path target_, partial_;
  int descriptor_ = -1;
};

}  // namespace beatscan
