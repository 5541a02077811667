// tests/support/read_npy.h — reads the stored expectations, which are NumPy arrays of one type.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace beatscan {

template <class T>
struct NpyArray {
  std::vector<std::int64_t> shape;
  std::vector<T> values;
};

template <class T>
NpyArray<T> read_npy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.size() < 10 || bytes.substr(1, 5) != "NUMPY") throw std::runtime_error(path.string() + ": not a .npy file");
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const std::size_t data = 10 + byte(8) + 256 * byte(9);
  const std::string header = bytes.substr(10, data - 10);
  const std::string type = std::string("'<") + (std::is_integral_v<T> ? 'i' : 'f') + std::to_string(sizeof(T)) + "'";
  if (header.find(type) == header.npos || header.find("'fortran_order': False") == header.npos)
    throw std::runtime_error(path.string() + ": not " + type + " in C order: " + header);
  NpyArray<T> array;
  const std::size_t open = header.find('(');
  const std::string shape = header.substr(open + 1, header.find(')') - open - 1);
  for (std::size_t i = 0; i < shape.size();
       i = shape.find(',', i) == shape.npos ? shape.size() : shape.find(',', i) + 1)
    if (shape.find_first_of("0123456789", i) != shape.npos) array.shape.push_back(std::stoll(shape.substr(i)));
  array.values.resize((bytes.size() - data) / sizeof(T));
  bytes.copy(reinterpret_cast<char*>(array.values.data()), bytes.size() - data, data);
  return array;
}

}  // namespace beatscan
