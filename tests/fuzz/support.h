// tests/fuzz/support.h — what the targets share: files to be read, and what counts as a find.
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

// The program did what it must not.
class Find : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};
inline void require(bool condition, const std::string& what) {
  if (!condition) throw Find(what);
}

// A folder of this process, removed when it ends.
const std::filesystem::path& folder();

// A file in it.
std::filesystem::path write(const std::string& name, std::string_view contents);

inline std::string_view text_of(Bytes bytes) { return {bytes.data(), bytes.size()}; }

// What stands between the marks; always `parts` of them (the last has the rest), empty where there are fewer.
std::vector<std::string_view> split(std::string_view text, char mark, std::size_t parts);

// Runs the action; a refusal (an Error of one line with one of these statuses) is as good as success, and its message
// is returned. Anything else that is thrown is a find.
std::string refusal_of(const std::function<void()>& action,
                       std::initializer_list<ErrorKind> allowed = {ErrorKind::input, ErrorKind::unanalysable,
                                                                   ErrorKind::usage});

}  // namespace beatscan::fuzz
