// tests/support/few_descriptors.h — a process that cannot open any more files.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

namespace beatscan {

// While it lives, this process can open no file. Files that are open stay open.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int lowest_free = dup(STDERR_FILENO);
    close(lowest_free);
    const rlimit none{static_cast<rlim_t>(lowest_free), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreDescriptors(NoMoreDescriptors&&) = delete;

 private:
  rlimit before_{};
};

}  // namespace beatscan
