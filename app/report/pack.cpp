#include "app/report/pack.h"

#include <zlib.h>

#include <algorithm>

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

std::uint32_t zigzag(std::uint32_t value) { return value << 1 ^ (value >> 31 ? ~0u : 0u); }

}  // namespace

void PackedArrays::add(const std::string& name, const char* type, const std::vector<std::uint32_t>& words) {
  for (int byte = 0; byte < 4; ++byte) {
    Plane plane{arrays_.size(), std::string(words.size(), '\0')};
    for (std::size_t i = 0; i < words.size(); ++i) plane.bytes[i] = static_cast<char>(words[i] >> 8 * byte);
    planes_.push_back(std::move(plane));
  }
  arrays_.push_back({name, type, words.size()});
}

void PackedArrays::integers(const std::string& name, std::span<const std::int32_t> values) {
  std::vector<std::uint32_t> words;
  words.reserve(values.size());
  for (const std::int32_t value : values) words.push_back(zigzag(static_cast<std::uint32_t>(value)));
  add(name, "integers", words);
}

void PackedArrays::differences(const std::string& name, std::span<const std::int32_t> values) {
  std::vector<std::uint32_t> words;
  words.reserve(values.size());
  std::uint32_t previous = 0;
  for (const std::int32_t value : values) {
    words.push_back(zigzag(static_cast<std::uint32_t>(value) - previous));
    previous = static_cast<std::uint32_t>(value);
  }
  add(name, "differences", words);
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
