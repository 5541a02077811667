#include "stages/text_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "kernels/check.h"
#include "kernels/parallel.h"

namespace beatscan {
namespace {

[[noreturn]] void throw_unreadable(const std::filesystem::path& path, int error) {
  throw Error(Status::input, path.string() + ": cannot be read: " + std::strerror(error));
}

bool is_line_end(char c) { return c == '\n' || c == '\r'; }
bool is_blank(std::span<const char> text) { return std::ranges::all_of(text, is_line_end); }

// Where a chunk ends and the next begins. `text` is what a slot holds, `final` says that the file ends with it.
struct Cut {
  std::size_t end;   // the chunk is text[0, end)
  std::size_t next;  // the next chunk starts with text[next...]
};

// Blank lines behind the last line with content are kept for the next chunk: only there it turns out whether they are
// rows without a value or merely the end of the file.
std::optional<Cut> cut_after_last_line(std::span<const char> text, bool final) {
  std::size_t content = text.size();
  while (content > 0 && is_line_end(text[content - 1])) --content;
  if (final) return Cut{content, text.size()};
  if (content < text.size()) {
    const auto line_end = std::find(text.begin() + static_cast<std::ptrdiff_t>(content), text.end(), '\n');
    if (content > 0 && line_end != text.end())
      return Cut{content, static_cast<std::size_t>(line_end - text.begin()) + 1};
    content = text.size();  // a lone CR, perhaps half of CR LF, or a whole slot of blank lines: cut like any text
  }
  const auto before = text.first(content);
  const auto line_end = std::find(before.rbegin(), before.rend(), '\n');
  if (line_end == before.rend()) return std::nullopt;
  const auto position = static_cast<std::size_t>(before.rend() - line_end) - 1;
  return Cut{position, position + 1};
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path) : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw_unreadable(path, errno);
  struct stat status {};
  const bool known = fstat(descriptor_, &status) == 0;
  regular_ = known && S_ISREG(status.st_mode);
  size_ = regular_ ? status.st_size : 0;
  if (!known || S_ISDIR(status.st_mode)) {
    const int error = known ? EISDIR : errno;
    close(descriptor_);
    throw_unreadable(path, error);
  }
}

InputFile::~InputFile() { close(descriptor_); }

std::int64_t InputFile::read(std::int64_t offset, std::span<char> target, int threads) const {
  constexpr std::int64_t kShare = 1 << 20;  // bytes that are worth a thread
  // The file ends where the first range comes up short.
  std::atomic<std::int64_t> end = std::ssize(target);
  parallel_for(Cpu(regular_ ? threads : 1), std::ssize(target), kShare, [&](std::int64_t first, std::int64_t last) {
    while (first < last) {
      const auto wanted = static_cast<std::size_t>(last - first);
      const ssize_t got = regular_ ? pread(descriptor_, target.data() + first, wanted, offset + first)
                                   : ::read(descriptor_, target.data() + first, wanted);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw_unreadable(path_, errno);
      if (got == 0) {
        for (std::int64_t seen = end; first < seen && !end.compare_exchange_weak(seen, first);) {
        }
        return;
      }
      first += got;
    }
  });
  return end;
}

TextReader::TextReader(const InputFile& file, std::int64_t offset, std::vector<std::span<char>> slots, int threads)
    : file_(file), offset_(offset), slots_(std::move(slots)), threads_(threads) {
  BEATSCAN_EXPECTS(slots_.size() >= 2, "TextReader: needs two slots");
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) free_.push_back(slot);
  thread_ = std::jthread([this](std::stop_token stop) { read_ahead(stop); });
}

TextReader::~TextReader() = default;

std::optional<std::span<const char>> TextReader::next() {
  std::unique_lock lock(mutex_);
  if (in_use_) free_.push_back(*std::exchange(in_use_, std::nullopt));
  changed_.notify_all();
  changed_.wait(lock, [&] { return !ready_.empty() || done_; });
  if (ready_.empty()) {
    if (error_) std::rethrow_exception(error_);
    return std::nullopt;
  }
  const Chunk chunk = ready_.front();
  ready_.pop_front();
  in_use_ = chunk.slot;
  chunk_offset_ = chunk.first_byte;
  bytes_read_ = chunk.end_byte;
  return chunk.text;
}

std::optional<std::size_t> TextReader::take_free_slot(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait(lock, stop, [&] { return !free_.empty(); })) return std::nullopt;
  const std::size_t slot = free_.front();
  free_.pop_front();
  return slot;
}

void TextReader::deliver(Chunk chunk) {
  const std::lock_guard lock(mutex_);
  ready_.push_back(chunk);
  changed_.notify_all();
}

// A slot of nothing but line ends: rows without a value if this is true, else the end of the file.
bool TextReader::content_follows(std::int64_t position) {
  if (!file_.regular() || position <= known_content_) return true;  // a pipe is not read twice
  std::array<char, 1 << 16> window;
  for (;;) {
    const auto text = std::span<const char>(window).first(static_cast<std::size_t>(file_.read(position, window, 1)));
    if (text.empty()) return false;
    const auto content = std::ranges::find_if_not(text, is_line_end);
    position += content - text.begin();
    if (content == text.end()) continue;
    known_content_ = position;
    return true;
  }
}

void TextReader::read_ahead(std::stop_token stop) try {
  std::int64_t position = offset_;
  std::span<const char> carried;  // the start of a line whose end is not read yet, in the slot before
  for (bool final = false; !final;) {
    const auto slot = take_free_slot(stop);
    if (!slot) return;
    const auto memory = slots_[*slot];
    std::ranges::copy(carried, memory.begin());
    const std::int64_t got = file_.read(position, memory.subspan(carried.size()), threads_);
    position += got;
    const auto text = memory.first(carried.size() + static_cast<std::size_t>(got));
    final = text.size() < memory.size() || (is_blank(text) && !content_follows(position));
    const auto cut = cut_after_last_line(text, final);
    if (!cut)
      throw Error(Status::input, file_.path().string() + ": byte " +
                                     std::to_string(position - std::ssize(text)) + ": a line of more than " +
                                     std::to_string(memory.size()) + " bytes; raise ingest.chunk_bytes if it is meant");
    carried = text.subspan(cut->next);
    if (cut->end > 0 || !final)
      deliver({*slot, text.first(cut->end), position - std::ssize(text), position - std::ssize(carried)});
  }
  const std::lock_guard lock(mutex_);
  done_ = true;
  changed_.notify_all();
} catch (...) {
  const std::lock_guard lock(mutex_);
  error_ = std::current_exception();
  done_ = true;
  changed_.notify_all();
}

}  // namespace beatscan
