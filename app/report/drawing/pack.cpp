#include "app/report/drawing/pack.h"

#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "app/report/drawing/html.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {

namespace {

using Parts = PackedArrays::Parts;

// A plane is deflated in pieces, on several threads. The pieces follow each other in one stream. zlib moves its window
// and its tables once 65,274 bytes are in it.
constexpr std::size_t kPieceBytes = 60 << 10;

// Deflates pieces of planes, one after the other, in the memory of the piece before.
class Deflater {
 public:
  Deflater() {
    const int status = deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_RLE);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    BEATSCAN_EXPECTS(status == Z_OK, "Deflater: zlib failed");
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // Returns a piece, of at most kPieceBytes, of a raw stream (RFC 1951) that other pieces may follow, unless it is the
  // last.
  std::string deflated(std::span<std::uint8_t> bytes, bool is_last) {
    deflateReset(&stream_);
    const int chosen = deflateParams(&stream_, Z_BEST_SPEED, has_runs(bytes) ? Z_RLE : Z_HUFFMAN_ONLY);
    BEATSCAN_EXPECTS(chosen == Z_OK, "Deflater: zlib failed");
    stream_.next_in = bytes.data();
    stream_.avail_in = static_cast<uInt>(bytes.size());
    stream_.next_out = out_.data();
    stream_.avail_out = static_cast<uInt>(out_.size());
    const int status = deflate(&stream_, is_last ? Z_FINISH : Z_SYNC_FLUSH);
    BEATSCAN_EXPECTS(status == (is_last ? Z_STREAM_END : Z_OK) && stream_.avail_out > 0, "Deflater: zlib failed");
    return {out_.data(), stream_.next_out};
  }

 private:
  // Tells whether it pays to look for runs, of zeros above all. Noisy bytes have none, and nothing else that repeats.
  static bool has_runs(std::span<const std::uint8_t> bytes) {
    std::uint32_t same = 0;
    for (std::size_t i = 1; i < bytes.size(); ++i) same += bytes[i] == bytes[i - 1];
    return same >= bytes.size() / 4;
  }
  // Bytes that zlib fills for a piece at most, by its deflateBound(), and what ends a piece.
  static constexpr std::size_t kMostBytes = kPieceBytes + kPieceBytes / 8 + kPieceBytes / 64 + 64;
  std::vector<std::uint8_t> out_ = std::vector<std::uint8_t>(kMostBytes);  // before zlib has memory of its own
  z_stream stream_{};
};

struct Piece {
  std::size_t plane, first, size;
  bool is_last;
  std::string deflated = {};
  uLong checksum = 0;
};

std::vector<Piece> pieces_of(std::size_t plane, std::size_t bytes) {
  std::vector<Piece> pieces;
  for (std::size_t first = 0; first < bytes; first += kPieceBytes) {
    const std::size_t size = std::min(kPieceBytes, bytes - first);
    pieces.push_back({plane, first, size, first + size == bytes});
  }
  return pieces;
}

// Puts the pieces of a plane together to a stream with zlib's head and checksum (RFC 1950), in base64.
std::string stream_of(std::span<const Piece> pieces) {
  std::string stream = "\x78\x01";
  uLong checksum = adler32(0, nullptr, 0);
  for (const Piece& piece : pieces) {
    stream += piece.deflated;
    checksum = adler32_combine(checksum, piece.checksum, static_cast<z_off_t>(piece.size));
  }
  for (int shift = 24; shift >= 0; shift -= 8) stream += static_cast<char>(checksum >> shift & 0xff);
  return base64(stream);
}

// Deflates the pieces. fill(piece, bytes) writes the bytes of a piece.
template <class Fill>
void deflate_all(std::vector<Piece>& pieces, const Fill& fill) {
  parallel_for(Cpu(), std::ssize(pieces), 1, [&](std::int64_t first, std::int64_t last) {
    static thread_local Deflater deflater;  // its memory takes longer to get than a small array to deflate
    std::vector<std::uint8_t> bytes;
    for (Piece& piece : std::span(pieces).subspan(first, last - first)) {
      bytes.resize(piece.size);
      fill(piece, std::span(bytes));
      piece.checksum = adler32(adler32(0, nullptr, 0), bytes.data(), static_cast<uInt>(bytes.size()));
      piece.deflated = deflater.deflated(bytes, piece.is_last);
    }
  });
}

// Returns the texts of `planes` planes, of which those without pieces are empty.
std::vector<std::string> texts_of(const std::vector<Piece>& pieces, std::size_t planes) {
  std::vector<std::string> texts(planes);
  for (auto piece = pieces.begin(); piece != pieces.end();) {
    const auto next =
        std::find_if(piece, pieces.end(), [&](const Piece& other) { return other.plane != piece->plane; });
    texts[piece->plane] = stream_of({piece, next});
    piece = next;
  }
  return texts;
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
  std::uint32_t used = 0;  // bits that are 1 in any word
  for (const std::int32_t word : words) used |= static_cast<std::uint32_t>(word);
  std::vector<Piece> pieces;
  for (std::size_t byte = 0; byte < sizeof used; ++byte)
    if (used >> 8 * byte & 0xff) std::ranges::move(pieces_of(byte, words.size()), std::back_inserter(pieces));
  deflate_all(pieces, [&](const Piece& piece, std::span<std::uint8_t> bytes) {
    const auto from = words.subspan(piece.first, piece.size);
    std::transform(from.begin(), from.end(), bytes.begin(), [&, shift = 8 * piece.plane](std::int32_t word) {
      return static_cast<std::uint8_t>(static_cast<std::uint32_t>(word) >> shift);
    });
  });
  return text_of_array(name, type, words.size(), texts_of(pieces, sizeof used));
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
    std::vector<Piece> pieces;
    if (std::ranges::any_of(bytes, [](auto byte) { return byte != 0; })) pieces = pieces_of(0, bytes.size());
    deflate_all(pieces, [&](const Piece& piece, std::span<std::uint8_t> some) {
      std::ranges::copy(std::span(bytes).subspan(piece.first, piece.size), some.begin());
    });
    return text_of_array(name, "flags", bytes.size(), texts_of(pieces, 1));
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
