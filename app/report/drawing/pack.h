// app/report/drawing/pack.h — packs large arrays of numbers for the page's script.
//
// An array becomes planes of bytes: the first bytes of all numbers, then the second ones, and so on. Each plane is
// deflated and written in base64. A plane of zeros costs nothing, so that small numbers take few bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace beatscan {

// json_parts() computes the values of all arrays, in parallel.
class PackedArrays {
 public:
  using Integers = std::function<std::vector<std::int32_t>()>;
  using Parts = std::vector<std::string>;  // a text in parts, which follow each other

  // Adds numbers in zigzag code, which writes 0, -1, 1, -2 … as 0, 1, 2, 3 …, so that small numbers are short.
  void integers(const std::string& name, Integers values);
  // Adds the differences between neighbouring numbers in zigzag code, for values that change little.
  void differences(const std::string& name, Integers values);
  // Adds numbers from 0 to 255 as they are.
  void flags(const std::string& name, std::function<std::vector<std::uint8_t>()> values);

  // Returns JSON text: {name: {"type": "integers" | "differences" | "flags", "count": n, "planes": [text, …]}}. The
  // plane of the least significant bytes comes first; a plane of zeros is "".
  Parts json_parts() const;

 private:
  std::vector<std::function<Parts()>> arrays_;  // each returns the text `"name": {…}`
};

}  // namespace beatscan
