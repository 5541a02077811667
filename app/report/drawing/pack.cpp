#include "app/report/drawing/pack.h"

#include <zlib.h>

#include "app/report/drawing/html.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {
namespace {

// Deflates the bytes. It looks for runs (of zeros) only, because the other bytes are noisy and repeat nothing.
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

std::string array_text(const std::string& name, const char* type, std::size_t count, std::vector<std::string> planes) {
  parallel_for(Cpu(), std::ssize(planes), 1, [&](std::int64_t first, std::int64_t last) {
    for (auto i = first; i < last; ++i)
      planes[i] = planes[i].find_first_not_of('\0') == std::string::npos ? "" : base64(deflated(planes[i]));
  });
  std::string text = "\"" + name + "\":{\"type\":\"" + type + "\",\"count\":" + std::to_string(count) + ",\"planes\":[";
  for (const auto& plane : planes) text += "\"" + plane + "\",";
  text.back() = ']';
  return text + "}";
}

std::string packed(const std::string& name, const char* type, const std::vector<std::uint32_t>& words) {
  std::vector<std::string> planes(4, std::string(words.size(), '\0'));
  for (std::size_t byte = 0; byte < planes.size(); ++byte)
    for (std::size_t i = 0; i < words.size(); ++i) planes[byte][i] = static_cast<char>(words[i] >> 8 * byte);
  return array_text(name, type, words.size(), std::move(planes));
}

}  // namespace

void PackedArrays::integers(const std::string& name, Integers values) {
  arrays_.push_back([name, values = std::move(values)] {
    const auto numbers = values();
    std::vector<std::uint32_t> words;
    words.reserve(numbers.size());
    for (const std::int32_t value : numbers) words.push_back(zigzag(static_cast<std::uint32_t>(value)));
    return packed(name, "integers", words);
  });
}

void PackedArrays::differences(const std::string& name, Integers values) {
  arrays_.push_back([name, values = std::move(values)] {
    const auto numbers = values();
    std::vector<std::uint32_t> words;
    words.reserve(numbers.size());
    std::uint32_t previous = 0;
    for (const std::int32_t value : numbers) {
      words.push_back(zigzag(static_cast<std::uint32_t>(value) - previous));
      previous = static_cast<std::uint32_t>(value);
    }
    return packed(name, "differences", words);
  });
}

void PackedArrays::flags(const std::string& name, std::function<std::vector<std::uint8_t>()> values) {
  arrays_.push_back([name, values = std::move(values)] {
    const auto bytes = values();
    return array_text(name, "flags", bytes.size(), {std::string(bytes.begin(), bytes.end())});
  });
}

std::string PackedArrays::json() const {
  std::vector<std::string> texts(arrays_.size());
  parallel_for(Cpu(), std::ssize(texts), 1, [&](std::int64_t first, std::int64_t last) {
    for (auto i = first; i < last; ++i) texts[i] = arrays_[i]();
  });
  std::string json = "{";
  for (const auto& text : texts) json += (json.size() > 1 ? "," : "") + text;
  return json + "}";
}

}  // namespace beatscan
