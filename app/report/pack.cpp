#include "app/report/pack.h"

#include <zlib.h>

#include <algorithm>

#include "app/report/html.h"
#include "kernels/check.h"
#include "kernels/parallel.h"

namespace beatscan {
namespace {

// Runs (of zeros) alone are looked for: what is left are noisy bytes, in which nothing comes again.
std::string deflated(std::string& bytes) {
  z_stream stream{};
  int status = deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL, Z_RLE);
  BEATSCAN_EXPECTS(status == Z_OK, "deflated: zlib failed");
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  BEATSCAN_EXPECTS(status == Z_STREAM_END, "deflated: zlib failed");
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

std::string PackedArrays::json() {
  std::vector<std::string> texts(planes_.size());
  parallel_for(Cpu(), std::ssize(planes_), 1, [&](std::int64_t first, std::int64_t last) {
    for (auto i = first; i < last; ++i)
      if (planes_[i].bytes.find_first_not_of('\0') != std::string::npos) texts[i] = base64(deflated(planes_[i].bytes));
  });
  std::string json = "{";
  std::size_t plane = 0;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    json += (i == 0 ? "\"" : ",\"") + arrays_[i].name + "\":{\"type\":\"" + arrays_[i].type +
            "\",\"count\":" + std::to_string(arrays_[i].count) + ",\"planes\":[";
    for (const char* comma = ""; plane < planes_.size() && planes_[plane].array == i; ++plane, comma = ",")
      ((json += comma) += '"') += texts[plane] + '"';
    json += "]}";
  }
  return json + "}";
}

}  // namespace beatscan
