// app/files/partial_name.h — the hidden name beside its target that a result has until it is whole:
// `.NAME.partial-PID`.
//
// The process that writes a result holds a lock on it (flock). The lock ends with the process, however that ends. A
// result without a lock was left by a killed program, and the next program removes it. Process ids alone would not show
// that: they are used again, and containers that share a folder each have their own.
#pragma once

#include <filesystem>
#include <set>

namespace beatscan {

// Returns the folder that a target lies in.
std::filesystem::path parent_of(const std::filesystem::path& target);

// Tells whether a path names the file or folder that is open.
bool names_this_file(const std::filesystem::path& path, int descriptor);

// An open file or folder. The end of its scope closes it, which also ends its lock.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  int reset();  // closes it; returns what close() returns

 private:
  int descriptor_ = -1;
};

// A new file or folder with a hidden name beside the target, locked.
struct Partial {
  std::filesystem::path path;
  Descriptor locked;
};

// Says whether to search the target's folder for what killed programs left of this target. A batch would search one
// folder for each of its results: clean_up_folder_after_killed() does it once for all of them.
enum class Leftovers { clean_up, are_cleaned_up };

// Both throw ErrorKind::output, naming the target, and leave nothing behind then.
Partial new_partial_file(const std::filesystem::path& target,  // open for writing
                         Leftovers leftovers = Leftovers::clean_up);
Partial new_partial_folder(const std::filesystem::path& target, Leftovers leftovers = Leftovers::clean_up);

// Removes a partial folder with all that is in it. The files of these names go first: that opens nothing, so it works
// also when the process has no descriptor left. Errors are ignored.
void remove_partial_folder(const std::filesystem::path& folder, const std::set<std::filesystem::path>& files);

// Opens and locks the result at `target`, and gives it with the hidden name that it gets while another result takes its
// place. Not locked if it is gone.
Partial previous_of(const std::filesystem::path& target);

// Removes the partial results that killed programs left beside `target`. Puts an earlier result back that was about to
// be replaced, if nothing has taken its place. Leaves what cannot be removed or locked.
void clean_up_after_killed(const std::filesystem::path& target);

// Does the same for all targets in a folder, which is read once.
void clean_up_folder_after_killed(const std::filesystem::path& folder);

}  // namespace beatscan
