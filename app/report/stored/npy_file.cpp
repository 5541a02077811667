#include "app/report/stored/npy_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

#include "app/common/whole_file.h"
#include "app/report/stored/damaged_file.h"

namespace beatscan {
namespace {

std::vector<std::int64_t> shape_in(std::string_view header) {
  std::vector<std::int64_t> shape;
  const auto key = header.find("'shape': (");
  if (key == header.npos) return shape;
  const char* at = header.data() + key + std::strlen("'shape': (");
  const char* const end = header.data() + header.size();
  for (std::int64_t size = 0; at < end && *at != ')';) {
    const auto [stop, error] = std::from_chars(at, end, size);
    if (error == std::errc{}) shape.push_back(std::clamp<std::int64_t>(size, 0, std::int64_t{1} << 31));
    at = error == std::errc{} ? stop : at + 1;
  }
  return shape;
}

// Returns the number of values of an array; a number that no file has where there are more than 2^61.
std::size_t count_in(const std::vector<std::int64_t>& shape) {
  constexpr std::size_t kMost = std::size_t{1} << 61;
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::size_t count = 1;
  for (const std::int64_t size : shape) {
    if (count > kMost / static_cast<std::size_t>(size)) return kMost;
    count *= size;
  }
  return count;
}

}  // namespace

template <class T>
NpyFile<T> read_npy_file(const std::filesystem::path& path, std::size_t dimensions) {
  const std::string contents = read_whole_file(path);
  const std::string_view bytes = contents;
  if (bytes.size() < 10 || !bytes.starts_with("\x93NUMPY\x01")) fail_damaged(path, "is no .npy file of version 1");
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const std::size_t begin = 10 + byte(8) + 256 * byte(9);
  const auto header = bytes.substr(10, begin - 10);
  const std::string type = std::string("'<") + (std::is_integral_v<T> ? 'i' : 'f') + std::to_string(sizeof(T)) + "'";
  if (header.find(type) == header.npos || header.find("'fortran_order': False") == header.npos)
    fail_damaged(path, "does not hold " + type + " in C order");
  NpyFile<T> file{shape_in(header), {}};
  if (file.shape.size() != dimensions)
    fail_damaged(path, "the number of dimensions is not " + std::to_string(dimensions));
  const std::size_t count = count_in(file.shape);
  if (begin > bytes.size() || (bytes.size() - begin) % sizeof(T) != 0 || (bytes.size() - begin) / sizeof(T) != count)
    fail_damaged(path, "is cut off");
  file.values.resize(count);
  if (count > 0) std::memcpy(file.values.data(), bytes.data() + begin, count * sizeof(T));
  return file;
}

template NpyFile<double> read_npy_file(const std::filesystem::path&, std::size_t);
template NpyFile<float> read_npy_file(const std::filesystem::path&, std::size_t);
template NpyFile<std::int64_t> read_npy_file(const std::filesystem::path&, std::size_t);

}  // namespace beatscan
