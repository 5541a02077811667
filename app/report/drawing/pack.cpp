#include "app/report/drawing/pack.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "app/report/drawing/html.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {

// Turns planes into text, one after the other. zlib's memory is that of the plane before.
class PackedArrays::Deflater {
 public:
  // zlib looks for runs (of zeros) only, because the other bytes are noisy and repeat nothing.
  Deflater() {
    const int status = deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL, Z_RLE);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    BEATSCAN_EXPECTS(status == Z_OK, "Deflater: zlib failed");
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // Appends `count` bytes to the text, deflated and in base64. fill(first, bytes) writes those from the first on.
  template <class Fill>
  void append(std::size_t count, const Fill& fill, Parts& text) {
    deflateReset(&stream_);
    stream_.next_out = out_.data();
    stream_.avail_out = static_cast<uInt>(out_.size());
    int status = Z_OK;
    for (std::size_t first = 0; first < count; first += in_.size()) {
      const std::size_t size = std::min(in_.size(), count - first);
      fill(first, std::span(in_).first(size));
      stream_.next_in = in_.data();
      stream_.avail_in = static_cast<uInt>(size);
      do {
        if (stream_.avail_out == 0) take(text);
        status = deflate(&stream_, first + size == count ? Z_FINISH : Z_NO_FLUSH);
      } while (stream_.avail_out == 0);
    }
    BEATSCAN_EXPECTS(status == Z_STREAM_END, "Deflater: zlib failed");
    take(text);
  }

 private:
  void take(Parts& text) {
    text.push_back(base64({reinterpret_cast<const char*>(out_.data()), out_.size() - stream_.avail_out}));
    stream_.next_out = out_.data();
    stream_.avail_out = static_cast<uInt>(out_.size());
  }

  z_stream stream_{};
  std::array<Bytef, 1 << 14> in_;
  std::array<Bytef, 3 << 13> out_;  // a multiple of 3 bytes, so that only a plane's last part has padding
};

namespace {

using Parts = PackedArrays::Parts;

std::int32_t zigzag(std::uint32_t value) { return static_cast<std::int32_t>(value << 1 ^ (0 - (value >> 31))); }

std::string head_of(const std::string& name, const char* type, std::size_t count) {
  return "\"" + name + "\":{\"type\":\"" + type + "\",\"count\":" + std::to_string(count) + ",\"planes\":[\"";
}

// Returns the text of an array whose numbers are zigzags.
template <class Deflater>
Parts packed(const std::string& name, const char* type, std::span<const std::int32_t> words, Deflater& deflater) {
  Parts text{head_of(name, type, words.size())};
  std::uint32_t used = 0;  // bits that are 1 in any word
  for (const std::int32_t word : words) used |= static_cast<std::uint32_t>(word);
  for (int byte = 0; byte < 4; ++byte) {
    if (byte > 0) text.emplace_back("\",\"");
    if ((used >> 8 * byte & 0xff) == 0) continue;
    const auto fill = [&](std::size_t first, std::span<std::uint8_t> plane) {
      const auto from = words.subspan(first, plane.size());
      std::transform(from.begin(), from.end(), plane.begin(), [=](std::int32_t word) {
        return static_cast<std::uint8_t>(static_cast<std::uint32_t>(word) >> 8 * byte);
      });
    };
    deflater.append(words.size(), fill, text);
  }
  text.emplace_back("\"]}");
  return text;
}

}  // namespace

void PackedArrays::integers(const std::string& name, Integers values) {
  arrays_.push_back([name, values = std::move(values)](Deflater& deflater) {
    auto numbers = values();
    for (std::int32_t& number : numbers) number = zigzag(static_cast<std::uint32_t>(number));
    return packed(name, "integers", numbers, deflater);
  });
}

void PackedArrays::differences(const std::string& name, Integers values) {
  arrays_.push_back([name, values = std::move(values)](Deflater& deflater) {
    auto numbers = values();
    std::int32_t* const number = numbers.data();
    const auto difference = [](std::int32_t value, std::int32_t previous) {
      return zigzag(static_cast<std::uint32_t>(value) - static_cast<std::uint32_t>(previous));
    };
    // From the end, where the number before is still as it was. So no step waits for another.
    for (std::size_t i = numbers.size(); i-- > 1;) number[i] = difference(number[i], number[i - 1]);
    if (!numbers.empty()) number[0] = difference(number[0], 0);
    return packed(name, "differences", numbers, deflater);
  });
}

void PackedArrays::flags(const std::string& name, std::function<std::vector<std::uint8_t>()> values) {
  arrays_.push_back([name, values = std::move(values)](Deflater& deflater) {
    const auto bytes = values();
    Parts text{head_of(name, "flags", bytes.size())};
    const auto fill = [&](std::size_t first, std::span<std::uint8_t> plane) {
      std::ranges::copy(std::span(bytes).subspan(first, plane.size()), plane.begin());
    };
    if (std::ranges::any_of(bytes, [](auto byte) { return byte != 0; })) deflater.append(bytes.size(), fill, text);
    text.emplace_back("\"]}");
    return text;
  });
}

PackedArrays::Parts PackedArrays::json_parts() const {
  std::vector<Parts> texts(arrays_.size());
  std::atomic<std::size_t> next = 0;  // a range takes arrays in turn, because a few are much larger than the others
  parallel_for(Cpu(), std::ssize(arrays_), 1, [&](std::int64_t, std::int64_t) {
    Deflater deflater;
    for (std::size_t i = next++; i < arrays_.size(); i = next++) texts[i] = arrays_[i](deflater);
  });
  Parts parts{"{"};
  for (Parts& text : texts) {
    if (parts.size() > 1) parts.emplace_back(",");
    std::ranges::move(text, std::back_inserter(parts));
  }
  parts.emplace_back("}");
  return parts;
}

}  // namespace beatscan
