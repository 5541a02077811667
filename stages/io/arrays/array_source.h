// stages/io/arrays/array_source.h — leads of an array of numbers that a file stores in binary form.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stages/io/recording/sample_source.h"

namespace beatscan {

class InputFile;
struct LeadChoice;

enum class Element : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

inline constexpr std::int64_t bytes_of(Element element) {
  constexpr std::int64_t kBytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return kBytes[static_cast<int>(element)];
}

// A matrix in a file. A vector is a matrix of one row.
struct StoredArray {
  std::shared_ptr<const InputFile> file;
  std::int64_t first_byte = 0;
  Element element = Element::float64;
  bool big_endian = false, column_major = false;
  std::int64_t rows = 0, columns = 0;
  std::string shape() const { return std::to_string(rows) + " x " + std::to_string(columns); }
};

// Returns rows and columns of an array of any number of dimensions. Dimensions of 1 do not count. Throws
// ErrorKind::input naming `path` if more than two others are left, or if a dimension is 0 or negative.
std::pair<std::int64_t, std::int64_t> as_matrix(const std::vector<std::int64_t>& shape, const std::string& path);

// Gives the leads of an array: the longer side is time, and the leads are named by their positions, "0", "1", … Without
// a choice all leads are read, except one that rises evenly from its first sample on: it holds times, and a warning
// says so. NaN is a missing sample. Throws ErrorKind::input in these cases:
//   - the file is shorter than the array
//   - there are more than kMostLeads leads and none is chosen
//   - a value is infinite or beyond float32's range; the message names the lead and the sample
SampleSource array_source(const StoredArray& array, const LeadChoice& choice);

// Returns the number that begins at a byte of `bytes`; nothing if they end before its end.
std::optional<double> number_at(std::string_view bytes, std::int64_t byte, Element element, bool big_endian);

}  // namespace beatscan
