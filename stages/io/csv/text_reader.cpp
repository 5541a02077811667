#include "stages/io/csv/text_reader.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "kernels/csv/csv.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

// Divides the text in a slot: where a chunk ends and the next one begins.
struct Cut {
  std::size_t end;   // the chunk is text[0, end)
  std::size_t next;  // the next chunk starts with text[next...]
};

// Cuts after the last whole line; returns nothing if no line ends in the text. If the text is `final`, the file ends
// with it: all of it is the chunk, except blank lines at the end, which are not rows.
std::optional<Cut> cut_after_last_line(std::span<const char> text, bool final) {
  if (final) {
    std::size_t content = text.size();
    while (content > 0 && is_line_end(text[content - 1])) --content;
    return Cut{content, text.size()};
  }
  const auto line_end = std::find(text.rbegin(), text.rend(), '\n');
  if (line_end == text.rend()) return std::nullopt;
  const auto position = static_cast<std::size_t>(text.rend() - line_end) - 1;
  return Cut{position, position + 1};
}

}  // namespace

TextReader::TextReader(const InputFile& file, std::int64_t offset, std::vector<std::span<char>> slots,
                       std::size_t headroom, int threads, std::function<void(std::span<char>)> edit)
    : file_(file), offset_(offset), headroom_(headroom), edit_(std::move(edit)) {
  BEATSCAN_EXPECTS(slots.size() >= 2 && slots[0].size() > headroom, "TextReader: too few or too small slots");
  for (const auto& memory : slots) slots_.push_back({memory});
  chunk_bytes_ = std::ssize(slots[0]) - static_cast<std::int64_t>(headroom);
  constexpr std::int64_t kPieceBytes = 1 << 20;  // worth a system call, and small enough to divide among threads
  piece_bytes_ = std::min(chunk_bytes_, kPieceBytes);
  pieces_per_chunk_ = (chunk_bytes_ + piece_bytes_ - 1) / piece_bytes_;
  chunks_ = (std::max<std::int64_t>(file.size() - offset, 0) + chunk_bytes_ - 1) / chunk_bytes_;
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this](std::stop_token stop) { read_pieces(stop); });
}

TextReader::~TextReader() {
  for (auto& thread : threads_) thread.request_stop();
}

std::int64_t TextReader::bytes_of(std::int64_t chunk) const {
  return std::min(chunk_bytes_, file_.size() - offset_ - chunk * chunk_bytes_);
}

void TextReader::read_pieces(std::stop_token stop) {
  for (;;) {
    std::unique_lock lock(mutex_);
    const auto slot_is_free = [&] { return next_piece_ / pieces_per_chunk_ < released_ + std::ssize(slots_); };
    if (!changed_.wait(lock, stop, slot_is_free)) return;
    const std::int64_t piece = next_piece_++, chunk = piece / pieces_per_chunk_;
    if (chunk >= chunks_ || error_) return;
    lock.unlock();
    try {
      const std::int64_t line_ends = read_piece(chunk, piece % pieces_per_chunk_ * piece_bytes_);
      lock.lock();
      auto& slot = slots_[chunk % std::ssize(slots_)];
      slot.line_ends += line_ends;
      if (++slot.pieces_read == pieces_per_chunk_) changed_.notify_all();
    } catch (...) {
      lock.lock();
      if (!error_ || chunk < failed_chunk_) {
        error_ = std::current_exception();
        failed_chunk_ = chunk;
      }
      changed_.notify_all();
      return;
    }
  }
}

// Reads one piece. Pieces are taken in order: when one fails, all pieces before it are read or being read.
std::int64_t TextReader::read_piece(std::int64_t chunk, std::int64_t first) {
  const std::int64_t size = std::min(piece_bytes_, bytes_of(chunk) - first);
  if (size <= 0) return 0;  // the piece lies beyond the file's end
  const auto target = slots_[chunk % std::ssize(slots_)].memory.subspan(headroom_ + static_cast<std::size_t>(first),
                                                                        static_cast<std::size_t>(size));
  if (file_.read(offset_ + chunk * chunk_bytes_ + first, target) != size) file_.throw_changed();
  return count_line_ends(target);
}

std::int64_t TextReader::read_chunk(std::int64_t chunk) {
  BEATSCAN_EXPECTS(chunk < released_ + std::ssize(slots_), "TextReader: the slot is still held");
  std::int64_t line_ends = 0;
  for (std::int64_t piece = 0; piece < pieces_per_chunk_; ++piece) line_ends += read_piece(chunk, piece * piece_bytes_);
  return line_ends;
}

std::int64_t TextReader::wait_until_read(std::int64_t chunk) {
  auto& slot = slots_[chunk % std::ssize(slots_)];
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return slot.pieces_read == pieces_per_chunk_ || (error_ && failed_chunk_ <= chunk); });
  if (error_ && failed_chunk_ <= chunk) std::rethrow_exception(error_);
  slot.pieces_read = 0;
  return std::exchange(slot.line_ends, 0);
}

std::optional<TextReader::Chunk> TextReader::next() {
  while (next_chunk_ < chunks_ && !ended_) {
    const std::int64_t chunk = next_chunk_;
    BEATSCAN_EXPECTS(std::ssize(held_) < std::ssize(slots_), "TextReader: all slots are held");
    const std::int64_t line_ends = threads_.empty() ? read_chunk(chunk) : wait_until_read(chunk);
    ++next_chunk_;
    held_.push_back(chunk);
    if (const auto text = cut(chunk, line_ends)) return text;
    // The chunk holds a piece of one line only, which is carried on. Its slot is free as soon as those before it are.
    std::erase(held_, chunk);
    if (held_.empty()) release_up_to(chunk + 1);
  }
  return std::nullopt;
}

std::optional<TextReader::Chunk> TextReader::cut(std::int64_t chunk, std::int64_t line_ends) {
  const bool last = chunk + 1 == chunks_;
  const std::int64_t end_of_chunk = offset_ + chunk * chunk_bytes_ + bytes_of(chunk);
  const std::size_t start = headroom_ - carried_.size();
  const auto memory = slots_[chunk % std::ssize(slots_)].memory;
  std::ranges::copy(carried_, memory.begin() + static_cast<std::ptrdiff_t>(start));
  const std::span<const char> text = memory.subspan(start, carried_.size() + static_cast<std::size_t>(bytes_of(chunk)));
  const bool final = last || (is_line_end(text.back()) && !content_follows(end_of_chunk));
  const auto where = cut_after_last_line(text, final).value_or(Cut{0, 0});
  const auto rest = text.subspan(where.next);
  if (rest.size() > headroom_ && !final)
    fail(ErrorKind::input, file_.path().string(),
         "byte " + std::to_string(end_of_chunk - std::ssize(rest)) + ": a line of more than " +
             std::to_string(headroom_) + " bytes; raise ingest.chunk_bytes if such lines are intended");
  carried_.assign(rest.begin(), rest.end());
  ended_ = final;  // chunks of blank lines may follow; threads are reading them, so their slots are not free
  if (where.next == 0 || (where.end == 0 && final)) return std::nullopt;
  // Each line end that is handed out ends a row. The file's last row may lack one, or blank lines may follow it.
  const std::int64_t rows = final ? line_ends - count_line_ends(text.subspan(where.end)) + 1 : line_ends;
  if (edit_) edit_(memory.subspan(start, where.end));
  return Chunk{text.first(where.end), end_of_chunk - std::ssize(text), end_of_chunk - std::ssize(rest), rows};
}

void TextReader::release() {
  BEATSCAN_EXPECTS(!held_.empty(), "TextReader: nothing to release");
  held_.pop_front();
  release_up_to(held_.empty() ? next_chunk_ : held_.front());
}

void TextReader::release_up_to(std::int64_t chunk) {
  const std::lock_guard lock(mutex_);
  released_ = chunk;
  changed_.notify_all();
}

// Returns whether anything but line ends follows in the file. If so, blank lines at the end of a chunk are rows without
// a value; else they are the end of the file.
bool TextReader::content_follows(std::int64_t position) {
  if (position <= known_content_) return true;
  std::array<char, 1 << 16> window;
  for (;;) {
    const auto text = std::span<const char>(window).first(static_cast<std::size_t>(file_.read(position, window)));
    if (text.empty()) return false;
    const auto content = std::ranges::find_if_not(text, is_line_end);
    position += content - text.begin();
    if (content == text.end()) continue;
    known_content_ = position;
    return true;
  }
}

}  // namespace beatscan
