// app/common/environment.h — the command line and the machine, recorded in a result for reproducibility.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace beatscan {

struct Host {
  std::string processor;
  int cores = 0;                 // CPU cores that this process may use
  std::string operating_system;  // distribution and kernel
};
Host this_host();

// Returns the text in single quotes, so that a POSIX shell reads it back.
std::string single_quoted(std::string_view text);

// Return a word, or words as a command line, that a POSIX shell reads back. Words with special characters are in single
// quotes.
std::string quoted_for_shell(std::string_view word);
std::string quoted_for_shell(std::span<const char* const> words);

}  // namespace beatscan
