// Unpacks gzip, zstd, xz and bzip2 files (stages/io/recording/input_file.h).
#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/io/recording/input_file.h"
#include "stages/io/recording/temporary_file.h"

namespace beatscan {
namespace {

constexpr std::size_t kPackedBlock = 1 << 20;

// Reads a file from start to end, block by block.
class Blocks {
 public:
  explicit Blocks(const InputFile& file) : file_(file), memory_(kPackedBlock) {}
  // Returns the next block; an empty one at the end.
  std::span<char> next() {
    const auto got = file_.read(offset_, memory_);
    offset_ += got;
    return std::span(memory_).first(static_cast<std::size_t>(got));
  }
  [[noreturn]] void throw_damaged(const char* format, const std::string& what) const {
    fail(ErrorKind::input, file_.path().string(),
         std::string("not a whole ") + format + " file: " + what + " before byte " + std::to_string(offset_) + " of " +
             std::to_string(file_.size()) + "; copy or pack it again");
  }

 private:
  const InputFile& file_;
  std::vector<char> memory_;
  std::int64_t offset_ = 0;
};

// Recognises bzip2: "BZh", the size of its blocks, and the mark of a block or of the end. Text may begin with "BZh"
// alone.
bool is_bzip2(std::string_view magic) {
  using namespace std::string_view_literals;
  return magic.size() == 10 && magic.starts_with("BZh") && magic[3] >= '1' && magic[3] <= '9' &&
         (magic.substr(4) == "\x31\x41\x59\x26\x53\x59"sv || magic.substr(4) == "\x17\x72\x45\x38\x50\x90"sv);
}

void unpack_gzip(const InputFile& file, TemporaryFile& target) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;                                     // the largest window; gzip's header and checksum
  if (inflateInit2(&stream, kGzip) != Z_OK) throw std::bad_alloc();  // too little memory is the only cause
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, inflateEnd);
  Blocks blocks(file);
  std::vector<char> text(kPackedBlock);
  bool within_member = true;  // so that an empty file is cut off
  for (auto block = blocks.next(); !block.empty(); block = blocks.next()) {
    stream.next_in = reinterpret_cast<Bytef*>(block.data());
    stream.avail_in = static_cast<uInt>(block.size());
    while (stream.avail_in > 0 || stream.avail_out == 0) {
      if (!within_member) {  // another member follows, or zeros that fill up a tape's or a disk's block
        for (; stream.avail_in > 0 && *stream.next_in == 0; ++stream.next_in) --stream.avail_in;
        if (stream.avail_in == 0) break;
        inflateReset(&stream);
        within_member = true;
      }
      stream.next_out = reinterpret_cast<Bytef*>(text.data());
      stream.avail_out = static_cast<uInt>(text.size());
      const int status = inflate(&stream, Z_NO_FLUSH);
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        blocks.throw_damaged("gzip", stream.msg ? stream.msg : "damaged");
      target.append(std::span<const char>(text).first(text.size() - stream.avail_out));
      within_member = status != Z_STREAM_END;
      if (status == Z_BUF_ERROR) break;  // zlib needs more input
    }
  }
  if (within_member) blocks.throw_damaged("gzip", "it is cut off");
}

void unpack_zstd(const InputFile& file, TemporaryFile& target) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context) throw std::bad_alloc();
  Blocks blocks(file);
  std::vector<char> text(kPackedBlock);
  std::size_t wanted = 1;  // 0 at the end of a frame
  for (auto block = blocks.next(); !block.empty(); block = blocks.next()) {
    ZSTD_inBuffer in{block.data(), block.size(), 0};
    for (bool full = false; in.pos < in.size || full;) {
      ZSTD_outBuffer out{text.data(), text.size(), 0};
      wanted = ZSTD_decompressStream(context.get(), &out, &in);
      if (ZSTD_getErrorCode(wanted) == ZSTD_error_memory_allocation) throw std::bad_alloc();
      if (ZSTD_isError(wanted)) blocks.throw_damaged("zstd", ZSTD_getErrorName(wanted));
      target.append(std::span<const char>(text).first(out.pos));
      full = out.pos == out.size && wanted != 0;
    }
  }
  if (wanted != 0) blocks.throw_damaged("zstd", "it is cut off");
}

const char* reason_of(lzma_ret status) {
  return status == LZMA_MEMLIMIT_ERROR ? "it takes more than 128 MiB of memory to unpack"
         : status == LZMA_BUF_ERROR    ? "it is cut off"
                                       : "damaged";
}

void unpack_xz(const InputFile& file, TemporaryFile& target) {
  constexpr std::uint64_t kMostMemory = 128 << 20;  // xz -9 needs 65 MiB
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMostMemory, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  const std::unique_ptr<lzma_stream, decltype(&lzma_end)> end(&stream, lzma_end);
  Blocks blocks(file);
  std::vector<char> text(kPackedBlock);
  for (lzma_ret status = LZMA_OK; status != LZMA_STREAM_END;) {
    const auto block = blocks.next();
    stream.next_in = reinterpret_cast<const std::uint8_t*>(block.data());
    stream.avail_in = block.size();
    do {
      stream.next_out = reinterpret_cast<std::uint8_t*>(text.data());
      stream.avail_out = text.size();
      status = lzma_code(&stream, block.empty() ? LZMA_FINISH : LZMA_RUN);
      if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
      target.append(std::span<const char>(text).first(text.size() - stream.avail_out));
    } while (status == LZMA_OK && (stream.avail_in > 0 || stream.avail_out == 0 || block.empty()));
    const bool wants_more = status == LZMA_BUF_ERROR && !block.empty();
    if (status != LZMA_OK && status != LZMA_STREAM_END && !wants_more) blocks.throw_damaged("xz", reason_of(status));
  }
}

void unpack_bzip2(const InputFile& file, TemporaryFile& target) {
  bz_stream stream{};
  if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) throw std::bad_alloc();
  const std::unique_ptr<bz_stream, decltype(&BZ2_bzDecompressEnd)> end(&stream, BZ2_bzDecompressEnd);
  Blocks blocks(file);
  std::vector<char> text(kPackedBlock);
  bool within_stream = true;  // so that an empty file is cut off
  for (auto block = blocks.next(); !block.empty(); block = blocks.next()) {
    stream.next_in = block.data();
    stream.avail_in = static_cast<unsigned>(block.size());
    bool full = false;
    while (stream.avail_in > 0 || full) {
      if (!within_stream) {  // another stream follows
        char* const next = stream.next_in;
        const unsigned left = stream.avail_in;
        BZ2_bzDecompressEnd(&stream);
        stream = {};
        if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) throw std::bad_alloc();
        stream.next_in = next;
        stream.avail_in = left;
        within_stream = true;
      }
      stream.next_out = text.data();
      stream.avail_out = static_cast<unsigned>(text.size());
      const int status = BZ2_bzDecompress(&stream);
      if (status == BZ_MEM_ERROR) throw std::bad_alloc();
      if (status != BZ_OK && status != BZ_STREAM_END) blocks.throw_damaged("bzip2", "damaged");
      target.append(std::span<const char>(text).first(text.size() - stream.avail_out));
      within_stream = status != BZ_STREAM_END;
      full = within_stream && stream.avail_out == 0;
    }
  }
  if (within_stream) blocks.throw_damaged("bzip2", "it is cut off");
}

}  // namespace

Packing packing_of(const InputFile& file) {
  using namespace std::string_view_literals;
  std::array<char, 10> first{};
  const std::string_view magic(first.data(), static_cast<std::size_t>(file.read(0, first)));
  return magic.starts_with("\x1f\x8b"sv)           ? Packing::gzip
         : magic.starts_with("\x28\xb5\x2f\xfd"sv) ? Packing::zstd
         : magic.starts_with(
               "\xfd"
               "7zXZ\0"sv)
             ? Packing::xz
         : is_bzip2(magic) ? Packing::bzip2
                           : Packing::none;
}

bool is_packed(const InputFile& file) { return packing_of(file) != Packing::none; }

std::shared_ptr<const InputFile> unpacked(std::shared_ptr<const InputFile> file,
                                          std::optional<std::int64_t> most_bytes) {
  const Packing packing = packing_of(*file);
  if (packing == Packing::none) return file;
  TemporaryFile text(most_bytes);
  switch (packing) {
    case Packing::gzip:
      unpack_gzip(*file, text);
      break;
    case Packing::zstd:
      unpack_zstd(*file, text);
      break;
    case Packing::xz:
      unpack_xz(*file, text);
      break;
    default:
      unpack_bzip2(*file, text);
  }
  return std::make_shared<const InputFile>(text.take(file->path()));
}

// Inflates bytes from `offset` on until the stream ends, the bytes end, or `most_bytes` are there.
std::string inflated_start(const InputFile& file, std::int64_t offset, std::int64_t bytes, std::size_t most_bytes) {
  std::string text(most_bytes, '\0');
  std::vector<char> packed(static_cast<std::size_t>(std::min<std::int64_t>(bytes, 2 * std::ssize(text) + 1024)));
  packed.resize(static_cast<std::size_t>(file.read(offset, packed)));
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  if (inflate(&stream, Z_SYNC_FLUSH) == Z_MEM_ERROR) throw std::bad_alloc();
  text.resize(text.size() - stream.avail_out);
  return text;
}

std::shared_ptr<const InputFile> inflated(const InputFile& file, std::int64_t offset, std::int64_t bytes) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, inflateEnd);
  TemporaryFile target;
  std::vector<char> packed(kPackedBlock), text(kPackedBlock);
  for (int status = Z_OK; status != Z_STREAM_END;) {
    if (stream.avail_in == 0) {
      const auto next = std::span(packed).first(static_cast<std::size_t>(std::min(bytes, std::ssize(packed))));
      const std::int64_t got = next.empty() ? 0 : file.read(offset, next);
      offset += got;
      bytes -= got;
      stream.next_in = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_in = static_cast<uInt>(got);
    }
    const bool at_end = stream.avail_in == 0;
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = static_cast<uInt>(text.size());
    status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    const auto produced = std::span<const char>(text).first(text.size() - stream.avail_out);
    target.append(produced);
    const bool stuck = status == Z_BUF_ERROR || (status == Z_OK && at_end && produced.empty());
    if ((status != Z_OK && status != Z_STREAM_END && !stuck) || (stuck && at_end))
      fail(ErrorKind::input, file.path().string(),
           "byte " + std::to_string(offset) + ": the compressed array is damaged or cut off; copy or save it again");
  }
  return std::make_shared<const InputFile>(target.take(file.path()));
}

}  // namespace beatscan
