#include "app/bounded_file.h"

namespace beatscan {
namespace fs = std::filesystem;

void refuse_device(const fs::path& path, Status status) {
  std::error_code ignored;
  const auto type = fs::status(path, ignored).type();
  if (type == fs::file_type::character || type == fs::file_type::block)
    throw Error(status, path.string() + ": is a device; give a file or a pipe");
}

std::string read_bounded(std::istream& file, const fs::path& path, std::int64_t most_bytes, Status status) {
  const auto check = [&](std::uintmax_t bytes) {
    if (bytes > static_cast<std::uintmax_t>(most_bytes))
      throw Error(status, path.string() + ": has more than the " + std::to_string(most_bytes) +
                              " bytes that are read of such a file; check the name");
  };
  std::string contents;
  std::error_code unknown;
  if (const auto size = fs::file_size(path, unknown); file && !unknown) {
    check(size);
    contents.reserve(size);
  }
  for (char part[1 << 16]; file.read(part, sizeof part), file.gcount() > 0;) {  // what has no size is read as well
    contents.append(part, static_cast<std::size_t>(file.gcount()));
    check(contents.size());
  }
  return contents;
}

}  // namespace beatscan
