// stages/input/csv/text_reader.h — a text file as a sequence of chunks of whole lines, read ahead by several threads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "stages/recording/input_file.h"

namespace beatscan {

// Hands out the text from `offset` on in chunks of whole lines without the last line's end (the form that
// kernels/csv/csv.h takes). Blank lines at the very end of the file are left out. Memory is the slots, however long the
// file.
//
// Chunk k is read into slot k mod S, behind its first `headroom` bytes, in pieces that any of the threads takes next.
// The start of a line that the chunk before broke off is put into the headroom when that chunk is handed out. The
// threads count the lines while the text is still in their caches.
class TextReader {
 public:
  // slots  S >= 2 of one size, more than `headroom`; a line of more than `headroom` bytes may not fit
  // (ErrorKind::input)
  TextReader(const InputFile& file, std::int64_t offset, std::vector<std::span<char>> slots, std::size_t headroom,
             int threads);
  ~TextReader();

  struct Chunk {
    std::span<const char> text;         // valid until it is released
    std::int64_t first_byte, end_byte;  // where it starts in the file, and up to where the file is handed out with it
    std::int64_t rows;                  // its lines
  };
  // The next chunk, nothing at the end. Throws what reading threw.
  std::optional<Chunk> next();
  // The chunk handed out longest ago is no longer needed. Up to S - 1 may be held at a time.
  void release();

 private:
  struct Slot {
    std::span<char> memory;
    int pieces_read = 0;
    std::int64_t line_ends = 0;  // in them
  };
  void read_pieces(std::stop_token stop);
  std::int64_t read_piece(std::int64_t chunk, std::int64_t first);  // returns its line ends
  std::int64_t wait_until_read(std::int64_t chunk);                 // returns its line ends
  std::optional<Chunk> cut(std::int64_t chunk, std::int64_t line_ends);
  void release_up_to(std::int64_t chunk);
  std::int64_t bytes_of(std::int64_t chunk) const;
  bool content_follows(std::int64_t position);

  const InputFile& file_;
  const std::int64_t offset_;
  std::vector<Slot> slots_;
  const std::size_t headroom_;
  std::int64_t chunk_bytes_, piece_bytes_, pieces_per_chunk_, chunks_;
  std::vector<char> carried_;        // the start of a line whose end is in the next chunk
  std::int64_t next_chunk_ = 0;      // to be handed out
  bool ended_ = false;               // nothing but blank lines follows
  std::deque<std::int64_t> held_;    // handed out, not released
  std::int64_t known_content_ = -1;  // a byte ahead that is no line end

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::int64_t next_piece_ = 0;
  std::int64_t released_ = 0;          // chunks whose slots are free again
  std::exception_ptr error_;           // of the first chunk that could not be read
  std::int64_t failed_chunk_ = 0;      // which one, where there is an error
  std::vector<std::jthread> threads_;  // last: they start when all else is there, and end first
};

}  // namespace beatscan
