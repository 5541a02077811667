// stages/io/arrays/mat_variables.h — lists the variables of a MATLAB file of level 4 or 5 (-v4, -v6, -v7).
// Source: MathWorks, "MAT-File Format".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stages/io/arrays/array_source.h"

namespace beatscan {

class InputFile;

struct MatVariable {
  std::string name;
  std::vector<std::int64_t> shape = {};
  std::int64_t byte = 0;               // where it begins in the file
  std::string why_not = {};            // why it is no array of real numbers, as text; empty if it is one
  Element element = Element::float64;  // of an array of real numbers, as the next ones are
  bool big_endian = false;
  std::int64_t first_byte = 0;                     // of its numbers: in the file, or in what its zlib stream holds
  std::int64_t stream_byte = 0, stream_bytes = 0;  // place of that stream; no bytes where it is not compressed
  std::optional<double> scalar = {};               // the value of a single number
};

// Returns whether a file is of level 4: its first bytes are the header of a variable with a plain name.
bool is_mat_level_4(const InputFile& file);

// Return the variables in the file's order. Throw ErrorKind::input naming the byte where a header is badly formed or
// the file is cut off.
std::vector<MatVariable> variables_of_level_4(const InputFile& file);
std::vector<MatVariable> variables_of_level_5(const InputFile& file);

}  // namespace beatscan
