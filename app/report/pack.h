// app/report/pack.h — large arrays for the page's script: numbers as planes of bytes (all first bytes, all second ones
// …), each deflated and in base64. Planes of zeros cost nothing, so that numbers take the bytes they need.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace beatscan {

class PackedArrays {
 public:
  // Zigzag coded (0, -1, 1, -2 … as 0, 1, 2, 3 …), so that small ones are short.
  void integers(const std::string& name, std::span<const std::int32_t> values);
  // The same of the differences from the number before: for what changes little.
  void differences(const std::string& name, std::span<const std::int32_t> values);
  // As they are; 0 to 255.
  void flags(const std::string& name, const std::vector<std::uint8_t>& values);

  // As JSON text, {name: {"type": "integers" | "differences" | "flags", "count": n, "planes": [text, …]}}, least
  // significant byte first; a plane of zeros is "". Works on all planes side by side.
  std::string json();

 private:
  struct Plane {
    std::size_t array;
    std::string bytes;
  };
  struct Array {
    std::string name, type;
    std::size_t count;
  };
  void add(const std::string& name, const char* type, const std::vector<std::uint32_t>& words);
  std::vector<Array> arrays_;
  std::vector<Plane> planes_;
};

}  // namespace beatscan
