// tests/allocations/failing.h — makes a chosen request for memory fail.
//
// A test program that is linked with failing.cpp has its own
//   - operator new, in all forms,
//   - malloc, calloc and realloc, which the libraries use that are linked into it statically,
//   - posix_memalign, which LibTorch's tensors use.
// Each request has a site: the innermost calls of this project's code on the way to it. So what is inlined or inside
// libstdc++ counts for the line that asked. Sites are the same in all processes that are forked from one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace beatscan::allocations {

struct Site {
  std::uint64_t id;
  std::uint32_t requests;  // number of requests in the recorded run
  bool libtorchs;          // LibTorch's code asked, called by ours, for other memory than a tensor's
  std::string where;       // addresses in our modules, innermost first, for people and addr2line
};

// Prepares this process. Call it once, when all libraries are loaded and before the first fork.
void prepare();

// Starts to record the requests of this process and its forks.
void start_recording();
// Stops recording in this process, and returns the sites that this process and its forks have recorded.
std::vector<Site> recorded();

// Makes the request number `request` (from 0) at the site fail in this process, and all requests after it if
// `for_good`.
void fail(std::uint64_t site, std::uint32_t request, bool for_good = false);
// Ends failing and recording.
void stop();
// Returns whether a request was made to fail.
bool has_failed();

}  // namespace beatscan::allocations
