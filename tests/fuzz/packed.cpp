#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "stages/io/recording/input_file.h"
#include "tests/fuzz/support.h"

namespace beatscan::fuzz {
namespace {

std::string contents_of(const InputFile& file) {
  std::string contents(static_cast<std::size_t>(file.size()), '\0');
  require(file.read(0, contents) == file.size(), "shorter than its size");
  return contents;
}

std::string gzip(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
  return packed;
}

std::string xz(std::string_view text) {
  std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                          reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size());
  packed.resize(size);
  return packed;
}

std::string bzip2(std::string_view text) {
  std::string packed(text.size() + text.size() / 100 + 700, '\0');
  auto size = static_cast<unsigned>(packed.size());
  BZ2_bzBuffToBuffCompress(packed.data(), &size, const_cast<char*>(text.data()), static_cast<unsigned>(text.size()), 1,
                           0, 0);
  packed.resize(size);
  return packed;
}

std::string unpacked(std::string_view bytes) {
  const auto file = unpacked(std::make_shared<const InputFile>(write("x.csv", bytes)));
  return contents_of(*file);
}

}  // namespace

void packed(Bytes bytes) {
  const auto text = text_of(bytes);
  refusal_of([&] { unpacked(text); }, {ErrorKind::input});
  const auto half = text.size() / 2;
  require(unpacked(gzip(text)) == text, "gzip and back is another text");
  require(unpacked(gzip(text.substr(0, half)) + gzip(text.substr(half))) == text, "two gzip members are another text");
  require(unpacked(xz(text.substr(0, half)) + xz(text.substr(half))) == text, "two xz streams are another text");
  require(unpacked(bzip2(text.substr(0, half)) + bzip2(text.substr(half))) == text,
          "two bzip2 streams are another text");
  require(unpacked(zstd(text.substr(0, half)) + zstd(text.substr(half))) == text, "two zstd frames are another text");
}

}  // namespace beatscan::fuzz
