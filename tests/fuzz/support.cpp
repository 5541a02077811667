#include "tests/fuzz/support.h"

#include <stdlib.h>

#include <algorithm>
#include <fstream>

namespace beatscan::fuzz {
namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "beatscan-fuzz-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error(name + ": cannot be made");
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

}  // namespace

const fs::path& folder() {
  static const Folder one;
  return one.path;
}

fs::path write(const std::string& name, std::string_view contents) {
  const fs::path path = folder() / name;
  std::ofstream file(path, std::ios::binary);
  if (!file.write(contents.data(), std::ssize(contents)).flush())
    throw std::runtime_error(path.string() + ": cannot be written");
  return path;
}

std::vector<std::string_view> split(std::string_view text, char mark, std::size_t parts) {
  std::vector<std::string_view> found;
  while (found.size() + 1 < parts) {
    const auto end = std::min(text.find(mark), text.size());
    found.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  found.push_back(text);
  return found;
}

std::string refusal_of(const std::function<void()>& action, std::initializer_list<ErrorKind> allowed) {
  try {
    action();
  } catch (const Error& error) {
    const std::string what = error.what();
    require(std::ranges::find(allowed, error.kind()) != allowed.end(), "refused with another kind of error: " + what);
    require(!what.empty() && what.find('\n') == what.npos, "not one line: " + what);
    return what;
  }
  return "";
}

}  // namespace beatscan::fuzz
