#include "app/report/drawing/pack.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>
#include <span>
#include <utility>

#include "app/report/drawing/deflate.h"
#include "app/report/drawing/html.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {

namespace {

using Parts = PackedArrays::Parts;

using Bytes = std::vector<std::uint8_t>;

// Returns a plane as a stream of zlib in base64; "" for a plane of zeros.
std::string text_of_plane(const Bytes& bytes) {
  if (std::ranges::all_of(bytes, [](auto byte) { return byte == 0; })) return "";
  return base64(deflated(bytes));
}

std::int32_t zigzag(std::uint32_t value) { return static_cast<std::int32_t>(value << 1 ^ (0 - (value >> 31))); }

std::string head_of(const std::string& name, const char* type, std::size_t count) {
  return "\"" + name + "\":{\"type\":\"" + type + "\",\"count\":" + std::to_string(count) + ",\"planes\":[\"";
}

Parts text_of_array(const std::string& name, const char* type, std::size_t count, std::vector<std::string> planes) {
  Parts text{head_of(name, type, count)};
  for (std::size_t plane = 0; plane < planes.size(); ++plane) {
    if (plane > 0) text.emplace_back("\",\"");
    text.push_back(std::move(planes[plane]));
  }
  text.emplace_back("\"]}");
  return text;
}

// Returns the text of an array whose numbers are zigzags.
Parts packed(const std::string& name, const char* type, std::span<const std::int32_t> words) {
  std::uint32_t bits = 0;  // that are set in any number: the planes above them are zeros
  for (const std::int32_t word : words) bits |= static_cast<std::uint32_t>(word);
  std::vector<std::string> planes(sizeof(std::int32_t));
  parallel_each(Cpu(), (std::bit_width(bits) + 7) / 8, [&](std::int64_t plane) {
    Bytes bytes(words.size());
    std::ranges::transform(words, bytes.begin(), [&](std::int32_t word) {
      return static_cast<std::uint8_t>(static_cast<std::uint32_t>(word) >> 8 * plane);
    });
    planes[plane] = text_of_plane(bytes);
  });
  return text_of_array(name, type, words.size(), std::move(planes));
}

}  // namespace

void PackedArrays::integers(const std::string& name, Integers values) {
  arrays_.push_back([name, values = std::move(values)] {
    auto numbers = values();
    for (std::int32_t& number : numbers) number = zigzag(static_cast<std::uint32_t>(number));
    return packed(name, "integers", numbers);
  });
}

void PackedArrays::differences(const std::string& name, Integers values) {
  arrays_.push_back([name, values = std::move(values)] {
    auto numbers = values();
    std::int32_t* const number = numbers.data();
    const auto difference = [](std::int32_t value, std::int32_t previous) {
      return zigzag(static_cast<std::uint32_t>(value) - static_cast<std::uint32_t>(previous));
    };
    // From the end, where the number before is still as it was. So no step waits for another.
    for (std::size_t i = numbers.size(); i-- > 1;) number[i] = difference(number[i], number[i - 1]);
    if (!numbers.empty()) number[0] = difference(number[0], 0);
    return packed(name, "differences", numbers);
  });
}

void PackedArrays::flags(const std::string& name, std::function<std::vector<std::uint8_t>()> values) {
  arrays_.push_back([name, values = std::move(values)] {
    const auto bytes = values();
    return text_of_array(name, "flags", bytes.size(), {text_of_plane(bytes)});
  });
}

PackedArrays::Parts PackedArrays::json_parts() const {
  std::vector<Parts> texts(arrays_.size());
  std::atomic<std::size_t> next = 0;  // a range takes arrays in turn, because a few are much larger than the others
  parallel_for(Cpu(), std::ssize(arrays_), 1, [&](std::int64_t, std::int64_t) {
    for (std::size_t i = next++; i < arrays_.size(); i = next++) texts[i] = arrays_[i]();
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
