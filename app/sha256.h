// app/sha256.h — the fingerprint of a file, as sha256sum prints it.
#pragma once

#include <future>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "stages/input_file.h"

namespace beatscan {

// The hash of a whole file, by a thread of its own that stops when this is destroyed.
class FileHash {
 public:
  explicit FileHash(std::shared_ptr<const InputFile> file);
  std::string get() { return result_.get(); }  // waits; throws Status::input where the file cannot be read

 private:
  std::future<std::string> result_;
  std::jthread thread_;
};

std::string sha256_of(std::span<const char> bytes);

}  // namespace beatscan
