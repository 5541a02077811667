// app/files/sha256.h — the fingerprint of an input, as `cat FILES | sha256sum` prints it.
#pragma once

#include <future>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "stages/input/input.h"

namespace beatscan {

// Hashes files, one after the other, on a thread of its own. Destruction stops the thread.
class FileHash {
 public:
  explicit FileHash(std::vector<InputPart> files);
  // Waits for the hash. Throws ErrorKind::input if a file cannot be read, or changes meanwhile.
  std::string get() const { return result_.get(); }

 private:
  std::shared_future<std::string> result_;
  std::jthread thread_;
};

std::string sha256_of(std::span<const char> bytes);

}  // namespace beatscan
