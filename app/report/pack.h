// app/report/pack.h — large arrays for the page's script: numbers as planes of bytes (all first bytes, all second ones
// …), each deflated and in base64. Planes of zeros cost nothing, so that numbers take the bytes they need.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace beatscan {

// What the arrays hold is computed by json(), for all side by side.
class PackedArrays {
 public:
  using Integers = std::function<std::vector<std::int32_t>()>;

  // Zigzag coded (0, -1, 1, -2 … as 0, 1, 2, 3 …), so that small ones are short.
  void integers(const std::string& name, Integers values);
  // The same of the differences from the number before: for what changes little.
  void differences(const std::string& name, Integers values);
  // As they are; 0 to 255.
  void flags(const std::string& name, std::function<std::vector<std::uint8_t>()> values);

  // As JSON text, {name: {"type": "integers" | "differences" | "flags", "count": n, "planes": [text, …]}}, least
  // significant byte first; a plane of zeros is "".
  std::string json() const;

 private:
  std::vector<std::function<std::string()>> arrays_;  // "name": {…}
};

}  // namespace beatscan
