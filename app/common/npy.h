// app/common/npy.h — arrays in NumPy's .npy format, version 1.0.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace beatscan {

static_assert(std::endian::native == std::endian::little, "the files are little-endian");

// Returns the header of a .npy file.
template <class T>
std::string npy_header(const std::vector<std::int64_t>& shape) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>);
  std::string header = std::string("{'descr': '<") + (std::is_integral_v<T> ? 'i' : 'f') + std::to_string(sizeof(T)) +
                       "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t size : shape) header += std::to_string(size) + ",";
  header += "), }";
  constexpr std::size_t kPreamble = 10, kAlignment = 64;  // aligns the data for memory mapping
  header.append(kAlignment - 1 - (kPreamble + header.size()) % kAlignment, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file += header;
}

// Returns the bytes of the values in a .npy file.
template <class T>
std::string_view npy_values(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// Returns the bytes of a .npy file.
template <class T>
std::string npy(std::span<const T> values, const std::vector<std::int64_t>& shape) {
  return npy_header<T>(shape).append(npy_values(values));
}

template <class T>
std::string npy(const std::vector<T>& values, const std::vector<std::int64_t>& shape) {
  return npy(std::span<const T>(values), shape);
}

}  // namespace beatscan
