// app/output/output_folder.h — a folder of results with atomic output.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/common/npy.h"
#include "app/common/partial_file.h"

namespace beatscan {

// A result with a reader's corrections lies in this folder of the one that it was made of.
inline constexpr const char* kRevisedFolder = "revised";

// Collects the files in a hidden folder beside the target. commit() syncs them and moves the folder to the target's
// place. That is one step if the file system can exchange two names, as all common Linux file systems can: at any
// moment either the earlier or the new result exists. Destruction without commit() removes the folder, and the parent
// folders created for it. Errors are ErrorKind::output and name the path.
class OutputFolder {
 public:
  // Refuses an existing target, unless `force` is given and it is empty or an earlier result and nothing else. Removes
  // temporary files of killed programs for this target, unless that has been done for the whole folder.
  OutputFolder(std::filesystem::path target, bool force, TemporaryFilesOf temporary_files = TemporaryFilesOf::clean_up);
  ~OutputFolder();
  OutputFolder(OutputFolder&&) = delete;

  // Thread-safe.
  void write(const std::filesystem::path& name, std::string_view content);
  // Writes a file whose content `write` appends, so that it need not be in memory as a whole.
  using Append = std::function<void(std::string_view)>;
  void write_by(const std::filesystem::path& name, const std::function<void(const Append&)>& write);
  // Writes a file whose content is in parts, so that large ones need not be joined first.
  void write_parts(const std::filesystem::path& name, std::span<const std::string_view> parts);
  void commit();

  // Returns the folder where the files are until commit().
  const std::filesystem::path& partial() const { return partial_.path; }

 private:
  void make_parents();
  void remove_partial();
  void sync_all() const;
  Partial put_in_place();

  std::filesystem::path target_;
  bool force_;
  std::mutex mutex_;                                 // of written_
  std::set<std::filesystem::path> written_;          // names within the folder
  std::vector<std::filesystem::path> made_parents_;  // innermost first
  Partial partial_;                                  // empty path: committed
};

// Writes an array as a .npy file, without a copy of its values.
template <class T>
void write_npy(OutputFolder& folder, const std::filesystem::path& name, const std::vector<T>& values,
               const std::vector<std::int64_t>& shape) {
  const std::string header = npy_header<T>(shape);
  folder.write_parts(name, std::array<std::string_view, 2>{header, npy_values(std::span(values))});
}

// Throws ErrorKind::output if a result must not, or cannot, be written to `target`.
void check_output_folder(const std::filesystem::path& target, bool force);

}  // namespace beatscan
