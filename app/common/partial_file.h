// app/common/partial_file.h — files that are written atomically: under a temporary name, synced, then renamed.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace beatscan {

std::filesystem::path hidden_path(const std::filesystem::path& result, std::string_view ending);

// Returns NAME of a file's name with this extension; empty if the name does not have this form.
std::string name_of_hidden(const std::string& file_name, std::string_view ending);

// The hidden name of a result until it is complete: `.NAME.partial-PID`, beside its target.
//
// The process that writes a result holds a lock on it (flock), which ends with the process in any case. A result
// without a lock was left by a killed program, and the next program removes it. Process ids alone would not show that:
// they are reused, and each container that shares a folder has its own.

// Returns the folder that a target lies in.
std::filesystem::path parent_of(const std::filesystem::path& target);

// Returns whether a path refers to the open file or folder.
bool names_this_file(const std::filesystem::path& path, int descriptor);

// An open file or folder. The destructor closes it, which also releases its lock.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  int reset();  // closes it; returns the result of close()

 private:
  int descriptor_ = -1;
};

// A new file or folder with a hidden name beside the target, locked.
struct Partial {
  std::filesystem::path path;
  Descriptor locked;
};

// Whether to search the target's folder for temporary files of killed programs. A batch would search one folder for
// each of its results; it calls clean_up_folder_after_killed() once instead.
enum class TemporaryFilesOf { clean_up, are_cleaned_up };

// Both throw ErrorKind::output with the target's path, and then leave nothing.
Partial new_partial_file(const std::filesystem::path& target,  // open for writing
                         TemporaryFilesOf temporary_files = TemporaryFilesOf::clean_up);
Partial new_partial_folder(const std::filesystem::path& target,
                           TemporaryFilesOf temporary_files = TemporaryFilesOf::clean_up);

// Removes a partial folder with its contents. Removes the files of these names first, which opens nothing and so also
// works when the process is out of file descriptors. Ignores errors.
void remove_partial_folder(const std::filesystem::path& folder, const std::set<std::filesystem::path>& files);

// Opens and locks the result at `target`, and returns it with the hidden name that it gets while another result takes
// its place. Not locked if it no longer exists.
Partial previous_of(const std::filesystem::path& target);

// Removes the partial results that killed programs left beside `target`. Restores an earlier result that was about to
// be replaced, if nothing has taken its place. Skips what cannot be removed or locked.
void clean_up_after_killed(const std::filesystem::path& target);

// The same for all targets in a folder, which is listed once.
void clean_up_folder_after_killed(const std::filesystem::path& folder);

// Throws ErrorKind::output if a result must not be written to `path`: it is a folder, or it exists and `force` is not
// set.
void check_writable(const std::filesystem::path& path, bool force);

// Writes to a hidden name beside the target. commit() syncs the file and renames it: at any moment either the earlier
// file or the new one exists. Destruction without commit() removes it. Errors are ErrorKind::output.
class PartialFile {
 public:
  explicit PartialFile(std::filesystem::path target, TemporaryFilesOf temporary_files = TemporaryFilesOf::clean_up);
  ~PartialFile();
  PartialFile(PartialFile&&) = delete;

  void write(std::string_view text);
  void sync();  // to the disk, still under its temporary name
  void commit();
  // Renames the file at once; the system writes it to the disk in its own time.
  void commit_unsynced();

 private:
  std::filesystem::path target_;
  Partial partial_;  // empty path after commit()
};

// Throws ErrorKind::output: "<path>: <what> (<why>); <remedy>". `error` is an errno.
[[noreturn]] void fail_output(const std::filesystem::path& path, const std::string& what, int error);

// Writes all of the text. `shown` names the file in errors.
void write_all(int descriptor, std::string_view text, const std::filesystem::path& shown);

// Sync the contents of a file, or the names in a folder, to the disk, so that they survive a power failure. A file
// system that cannot sync folders does so in its own time. `shown` names the file or folder in errors.
void sync_file(int descriptor, const std::filesystem::path& shown);
void sync_folder(const std::filesystem::path& folder, const std::filesystem::path& shown);

// Writes one small file atomically, without a sync. After a power failure it may be missing or empty, so it must be
// cheap to write again.
void write_unsynced(const std::filesystem::path& path, std::string_view text,
                    TemporaryFilesOf temporary_files = TemporaryFilesOf::clean_up);

// Writes one small file atomically.
void write_durably(const std::filesystem::path& path, std::string_view text,
                   TemporaryFilesOf temporary_files = TemporaryFilesOf::clean_up);

}  // namespace beatscan
