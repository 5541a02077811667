// app/files/sha256.h — the fingerprint of an input, as `cat FILES | sha256sum` prints it.
#pragma once

#include <future>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "stages/input/input.h"

namespace beatscan {

// The hash of whole files, one after the other, by a thread of its own that stops when this is destroyed.
class FileHash {
 public:
  explicit FileHash(std::vector<InputPart> files);
  std::string get() const {
    return result_.get();
  }  // waits; throws ErrorKind::input where a file cannot be read, or changes

 private:
  std::shared_future<std::string> result_;
  std::jthread thread_;
};

std::string sha256_of(std::span<const char> bytes);

}  // namespace beatscan
