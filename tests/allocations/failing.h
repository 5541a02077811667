// tests/allocations/failing.h — memory that cannot be had, at a place of one's choice.
//
// The test program that is linked with failing.cpp has its own operator new (all forms), malloc, calloc and realloc (of
// the libraries linked into it statically) and posix_memalign (of LibTorch's tensors). Each request has a site: the
// innermost calls of this project's code on the way to it, so that what is inlined or inside of libstdc++ counts for
// the line that asked. Sites are the same in all processes forked from one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace beatscan::allocations {

struct Site {
  std::uint64_t id;
  std::uint32_t requests;  // in the run that was recorded
  bool libtorchs;          // LibTorch's code asked on behalf of ours, for something else than a tensor's memory
  std::string where;       // for people and addr2line: addresses in our modules, innermost first
};

// To be called once, when all libraries are loaded and before the first fork.
void prepare();

// What this process and its forks ask for from now on is kept; recorded() may be called by any of them.
void start_recording();
std::vector<Site> recorded();

// The request number `request` (from 0) at the site fails in this process; all behind it fail too if `for_good`.
void fail(std::uint64_t site, std::uint32_t request, bool for_good = false);
// Nothing fails, and nothing is recorded, any more.
void stop();
bool has_failed();  // the request came

}  // namespace beatscan::allocations
