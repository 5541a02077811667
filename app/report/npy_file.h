// app/report/npy_file.h — arrays of a result read back from .npy files (as app/files/npy.h writes them).
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

  // Row i of a two-dimensional array.
  std::span<const T> row(std::int64_t i) const { return std::span(values).subspan(i * shape[1], shape[1]); }
};

// T: float or std::int64_t. Throws ErrorKind::input where the file is missing, damaged, of another type, or has other
// than this number of dimensions.
template <class T>
NpyFile<T> read_npy_file(const std::filesystem::path& path, std::size_t dimensions);

}  // namespace beatscan
