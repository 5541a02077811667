// app/common/sha256.h — the fingerprint of an input, as `cat FILES | sha256sum` prints it.
#pragma once

#include <future>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "stages/io/recording/input_file.h"

namespace beatscan {

// Hashes files, one after another: on its own thread, or in the constructor if the caller may start none
// (thread_policy). The destructor stops the thread.
class FileHash {
 public:
  explicit FileHash(std::vector<InputPart> files);
  ~FileHash();
  FileHash(const FileHash&) = delete;
  FileHash& operator=(const FileHash&) = delete;
  // Waits for the hash. Throws ErrorKind::input if a file cannot be read, or changes meanwhile.
  std::string get() const { return result_.get(); }

 private:
  std::stop_source stop_;
  std::shared_future<std::string> result_;  // its destructor waits for the thread, if there is one
};

std::string sha256_of(std::span<const char> bytes);

}  // namespace beatscan
