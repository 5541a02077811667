// app/report/stored/npy_file.h — reads a result's arrays from the .npy files that app/common/npy.h writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace beatscan {

template <class T>
struct NpyFile {
  std::vector<std::int64_t> shape;
  std::vector<T> values;

  // Returns row i, which lies along the last dimension. Rows are counted through all dimensions before it.
  std::span<const T> row(std::int64_t i) const { return std::span(values).subspan(i * shape.back(), shape.back()); }
};

// T is float, double or std::int64_t. Throws ErrorKind::input where the file is missing, is damaged, holds another type
// or has another number of dimensions.
template <class T>
NpyFile<T> read_npy_file(const std::filesystem::path& path, std::size_t dimensions);

}  // namespace beatscan
