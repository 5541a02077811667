// app/files/partial_name.h — what is being written has a hidden name beside its target, `.NAME.partial-PID`, until it
// is whole. Who writes it holds a lock on it (flock), which ends with the process, however that ends: what nobody holds
// was left by a program that was killed, and the next one removes it. (Process ids alone would not do: they are used
// again, and containers that share a folder each have their own.)
#pragma once

#include <filesystem>

namespace beatscan {

// The folder that a target lies in.
std::filesystem::path parent_of(const std::filesystem::path& target);

// An opened file or folder, closed at the end of its scope, which also ends its lock.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  int reset();  // closes it; what close() says

 private:
  int descriptor_ = -1;
};

// Something new with a hidden name beside the target, locked.
struct Partial {
  std::filesystem::path path;
  Descriptor locked;
};
Partial new_partial_file(const std::filesystem::path& target);    // to be written to
Partial new_partial_folder(const std::filesystem::path& target);  // both throw ErrorKind::output, naming the target

// A hidden name for a result while another takes its place; `result` is it, locked. Nothing: it is gone.
Partial previous_of(const std::filesystem::path& target);

// Of killed programs: partial results are removed, and a result that was about to be replaced is put back where nothing
// has taken its place. What cannot be removed, or locked, stays.
void clean_up_after_killed(const std::filesystem::path& target);

}  // namespace beatscan
