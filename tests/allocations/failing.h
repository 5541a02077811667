// tests/allocations/failing.h — makes a chosen memory request fail.
//
// A test program that is linked with failing.cpp has its own
//   - operator new, in all forms,
//   - malloc, calloc and realloc, which statically linked libraries use,
//   - posix_memalign, which LibTorch's tensors use.
// Each request has a site: the innermost calls of this project's code on the way to it. So requests of inlined
// functions and of libstdc++ are attributed to the calling line. Sites are the same in all processes forked from one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace beatscan::allocations {

struct Site {
  std::uint64_t id;
  std::uint32_t requests;  // number of requests in the recorded run
  bool libtorchs;          // LibTorch's code, called by ours, requested memory other than a tensor's
  std::string where;       // addresses in our modules, innermost first, for reading and for addr2line
};

// Prepares this process. Call it once, after all libraries are loaded and before the first fork.
void prepare();

// Starts recording the requests of this process and its forks.
void start_recording();
// Stops recording in this process, and returns the sites recorded by this process and its forks.
std::vector<Site> recorded();

// Makes the request number `request` (from 0) at the site fail in this process, and all later requests if `for_good`.
void fail(std::uint64_t site, std::uint32_t request, bool for_good = false);
// Ends failing and recording.
void stop();
// Returns whether a request was made to fail.
bool has_failed();

}  // namespace beatscan::allocations
