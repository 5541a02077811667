#include "app/report/pack.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/report/html.h"
#include "kernels/check.h"
#include "kernels/parallel.h"

namespace beatscan {
namespace {

std::string deflated(const std::string& bytes) {
  std::string out(compressBound(bytes.size()), '\0');
  uLongf size = out.size();
  constexpr int kFast = 1;  // what is left are noisy low bytes, which no effort makes shorter
  const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), kFast);
  BEATSCAN_EXPECTS(status == Z_OK, "deflated: zlib failed");
  out.resize(size);
  return out;
}

// To the nearest number that has zeros in its lowest bytes.
std::uint32_t rounded(float value, int bytes) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (bytes >= 4) return bits;
  if (!std::isfinite(value)) return std::isnan(value) ? 0x7fc00000u : bits;
  const int dropped = 8 * (4 - bytes);
  return (bits + (1u << (dropped - 1))) & ~((1u << dropped) - 1);
}

}  // namespace

void PackedArrays::add(const std::string& name, const char* type, std::span<const std::uint32_t> words) {
  for (int byte = 0; byte < 4; ++byte) {
    Plane plane{arrays_.size(), std::string(words.size(), '\0')};
    for (std::size_t i = 0; i < words.size(); ++i) plane.bytes[i] = static_cast<char>(words[i] >> 8 * byte);
    planes_.push_back(std::move(plane));
  }
  arrays_.push_back({name, type, words.size()});
}

void PackedArrays::integers(const std::string& name, std::span<const std::int32_t> values) {
  std::vector<std::uint32_t> words(values.size());
  std::uint32_t previous = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<std::uint32_t>(values[i]), difference = value - previous;
    words[i] = difference << 1 ^ (difference >> 31 ? ~0u : 0u);
    previous = value;
  }
  add(name, "integers", words);
}

void PackedArrays::floats(const std::string& name, std::span<const float> values, int bytes) {
  std::vector<std::uint32_t> words(values.size());
  std::ranges::transform(values, words.begin(), [bytes](float value) { return rounded(value, bytes); });
  add(name, "floats", words);
}

void PackedArrays::flags(const std::string& name, const std::vector<std::uint8_t>& values) {
  planes_.push_back({arrays_.size(), std::string(values.begin(), values.end())});
  arrays_.push_back({name, "flags", values.size()});
}

Json PackedArrays::json() const {
  std::vector<std::string> texts(planes_.size());
  parallel_for(Cpu(), std::ssize(planes_), 1, [&](std::int64_t first, std::int64_t last) {
    for (auto i = first; i < last; ++i)
      if (planes_[i].bytes.find_first_not_of('\0') != std::string::npos) texts[i] = base64(deflated(planes_[i].bytes));
  });
  Json json = Json::object();
  for (const auto& array : arrays_)
    json[array.name] = {{"type", array.type}, {"count", array.count}, {"planes", Json::array()}};
  for (std::size_t i = 0; i < planes_.size(); ++i)
    json[arrays_[planes_[i].array].name]["planes"].push_back(std::move(texts[i]));
  return json;
}

}  // namespace beatscan
