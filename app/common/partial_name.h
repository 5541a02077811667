// app/common/partial_name.h — the hidden name of a result until it is complete: `.NAME.partial-PID`, beside its target.
//
// The process that writes a result holds a lock on it (flock), which ends with the process in any case. A result
// without a lock was left by a killed program, and the next program removes it. Process ids alone would not show that:
// they are reused, and each container that shares a folder has its own.
#pragma once

#include <filesystem>
#include <set>

namespace beatscan {

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

}  // namespace beatscan
