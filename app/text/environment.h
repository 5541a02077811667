// app/text/environment.h — how and where the program was called, so that a result can be made again.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace beatscan {

struct Host {
  std::string processor;
  int cores = 0;                 // that this process may use
  std::string operating_system;  // distribution and kernel
};
Host this_host();

// In single quotes, as a POSIX shell reads it back.
std::string single_quoted(std::string_view text);

// A command line as a POSIX shell reads it back: words with other than plain characters are in single quotes.
std::string quoted_for_shell(std::span<const char* const> words);

}  // namespace beatscan
