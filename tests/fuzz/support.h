// tests/fuzz/support.h — functions that the targets share: they write files to be read, and throw finds.
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/runtime/error.h"
#include "tests/fuzz/targets.h"

namespace beatscan::fuzz {

// Thrown where the program does what it must not do.
class Find : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};
inline void require(bool condition, const std::string& what) {
  if (!condition) throw Find(what);
}

// Returns a folder of this process, which is removed when the process ends.
const std::filesystem::path& folder();

// Writes a file into that folder and returns its path.
std::filesystem::path write(const std::string& name, std::string_view contents);

inline std::string_view text_of(Bytes bytes) { return {bytes.data(), bytes.size()}; }

// Splits a text at the marks into exactly `parts` parts. The last part has the rest; parts are empty where there are
// too few marks.
std::vector<std::string_view> split(std::string_view text, char mark, std::size_t parts);

// Runs the action. Returns "" if it succeeds, or the message of its refusal: an Error of one line with one of the
// allowed kinds. Throws Find at any other Error. Another exception passes through, and is a find
// too.
std::string refusal_of(const std::function<void()>& action,
                       std::initializer_list<ErrorKind> allowed = {ErrorKind::input, ErrorKind::unanalysable,
                                                                   ErrorKind::usage});

}  // namespace beatscan::fuzz
