// tests/support/few_descriptors.h — exhausts the file descriptors of this process.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

namespace beatscan {

// During its lifetime, this process can open no file. Open files stay open.
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
