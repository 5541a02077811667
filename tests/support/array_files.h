// tests/support/array_files.h — builds files of NumPy and MATLAB, byte by byte.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

namespace beatscan {

template <class T>
std::string packed_numbers(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Returns a .npy file of version 1. `shape` is a tuple in Python's notation.
inline std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                       bool fortran_order = false) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  while ((header.size() + 11) % 64 != 0) header += ' ';
  header += '\n';
  const auto size = static_cast<std::uint16_t>(header.size());
  return std::string("\x93NUMPY\x01\x00", 8) + packed_numbers<std::uint16_t>({size}) + header + data;
}

// Returns a file [100 samples, 2]: times of 250 Hz, and the values of times_neighbour().
inline std::vector<float> times_neighbour() {
  std::vector<float> values;
  for (int i = 0; i < 100; ++i) values.push_back(static_cast<float>(i * i % 17));
  return values;
}
inline std::string npy_with_times() {
  std::vector<float> values;
  const auto signal = times_neighbour();
  for (int i = 0; i < 100; ++i) {
    values.push_back(static_cast<float>(i) * 0.004f);
    values.push_back(signal[static_cast<std::size_t>(i)]);
  }
  return npy("<f4", "(100, 2)", packed_numbers(values));
}

// Returns a level-4 variable of 16-bit numbers, column by column.
inline std::string mat4(const std::string& name, std::int32_t rows, std::int32_t columns, const std::string& data) {
  const auto length = static_cast<std::int32_t>(name.size() + 1);
  return packed_numbers<std::int32_t>({30, rows, columns, 0, length}) + name + '\0' + data;
}

// Returns an element of a level-5 file: its type, its size, and its data padded to a multiple of 8 bytes.
inline std::string mat5_part(std::uint32_t type, std::string data) {
  const auto size = static_cast<std::uint32_t>(data.size());
  data.resize((data.size() + 7) / 8 * 8, '\0');
  return packed_numbers<std::uint32_t>({type, size}) + data;
}

// Returns a level-5 variable of float64, column by column.
inline std::string mat5_array(const std::string& name, std::int32_t rows, std::int32_t columns,
                              const std::vector<double>& values) {
  return mat5_part(14, mat5_part(6, packed_numbers<std::uint32_t>({6, 0})) +
                           mat5_part(5, packed_numbers<std::int32_t>({rows, columns})) + mat5_part(1, name) +
                           mat5_part(9, packed_numbers(values)));
}

// Returns a variable compressed by zlib. Such elements are not padded.
inline std::string mat5_packed(const std::string& variable) {
  std::string packed(compressBound(variable.size()), '\0');
  uLongf size = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(variable.data()),
           variable.size());
  packed.resize(size);
  return packed_numbers<std::uint32_t>({15, static_cast<std::uint32_t>(size)}) + packed;
}

inline std::string mat5(const std::vector<std::string>& variables) {
  std::string file = "MATLAB 5.0 MAT-file, made by a test";
  file.resize(124, ' ');
  file += std::string("\x00\x01IM", 4);
  for (const auto& variable : variables) file += variable;
  return file;
}

}  // namespace beatscan
