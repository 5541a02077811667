#include "stages/io/recording/unpacked_size.h"

#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/io/recording/input_file.h"

namespace beatscan {
namespace {

constexpr std::int64_t kUsualRatio = 6;  // of text with three decimals, packed by gzip or xz: 4 to 8

// The last four bytes of gzip are the size of its last part, modulo 4 GiB.
std::optional<std::int64_t> size_in_gzip(const InputFile& file) {
  std::array<char, 4> last{};
  if (file.read(file.size() - 4, last) != 4) return std::nullopt;
  std::int64_t size = 0;
  for (int i = 3; i >= 0; --i) size = size << 8 | static_cast<unsigned char>(last[static_cast<std::size_t>(i)]);
  const bool may_be_more = size < file.size() || file.size() > std::int64_t{1} << 29;
  return may_be_more ? std::nullopt : std::optional(size);
}

std::optional<std::int64_t> size_in_zstd(const InputFile& file) {
  std::array<char, 18> first{};  // the longest header of a frame
  const auto got = file.read(0, first);
  const unsigned long long size = ZSTD_getFrameContentSize(first.data(), static_cast<std::size_t>(got));
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) return std::nullopt;
  return static_cast<std::int64_t>(size);
}

// The end of an xz stream specifies where its index begins, which has the sizes of its blocks.
std::optional<std::int64_t> size_in_xz(const InputFile& file) {
  std::array<char, LZMA_STREAM_HEADER_SIZE> last{};
  lzma_stream_flags footer{};
  constexpr std::int64_t kLargestIndex = 1 << 20;
  const std::int64_t end = file.size() - std::ssize(last);
  if (end < 0 || file.read(end, last) != std::ssize(last) ||
      lzma_stream_footer_decode(&footer, reinterpret_cast<const std::uint8_t*>(last.data())) != LZMA_OK ||
      footer.backward_size > static_cast<lzma_vli>(std::min(end, kLargestIndex)))
    return std::nullopt;
  std::vector<char> text(footer.backward_size);
  if (file.read(end - std::ssize(text), text) != std::ssize(text)) return std::nullopt;
  lzma_index* decoded = nullptr;
  std::uint64_t most_memory = 16 << 20;
  std::size_t done = 0;
  if (lzma_index_buffer_decode(&decoded, &most_memory, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                               &done, text.size()) != LZMA_OK)
    return std::nullopt;
  const auto end_of_index = [](lzma_index* index) { lzma_index_end(index, nullptr); };
  const std::unique_ptr<lzma_index, decltype(end_of_index)> index(decoded, end_of_index);
  return static_cast<std::int64_t>(lzma_index_uncompressed_size(index.get()));
}

}  // namespace

std::int64_t unpacked_size(const std::filesystem::path& path) try {
  const InputFile file(path);
  std::optional<std::int64_t> stated;
  switch (packing_of(file)) {
    case Packing::none:
      return file.size();
    case Packing::gzip:
      stated = size_in_gzip(file);
      break;
    case Packing::zstd:
      stated = size_in_zstd(file);
      break;
    case Packing::xz:
      stated = size_in_xz(file);
      break;
    case Packing::bzip2:
      break;
  }
  return stated.value_or(kUsualRatio * file.size());
} catch (const Error&) {
  return 0;
}

}  // namespace beatscan
