// stages/io/csv/text_reader.h — reads a text file as chunks of whole lines, ahead of its user if it has threads.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "kernels/machine/condition_variable.h"
#include "stages/io/recording/input_file.h"

namespace beatscan {

// Hands out the text from `offset` on in chunks of whole lines, as kernels/csv/csv.h takes it: without the end of the
// last line. Leaves out blank lines at the very end of the file. However long the file is, the slots are all the memory
// that it takes.
//
// Chunk k is read into slot k mod S, after the slot's first `headroom` bytes. Each thread takes the next piece of it
// that nobody reads yet, and counts the piece's lines while the text is in its cache. Without threads, next() does this
// itself. When a chunk is handed out, the line that the chunk before it cut off is completed: its start is copied into
// the headroom.
class TextReader {
 public:
  //   slots     S >= 2 pieces of memory of one size, which is more than `headroom`
  //   headroom  bytes; a longer line may not fit, and next() then throws ErrorKind::input
  //   threads   0 or more
  //   edit      if given, changes the text of whole lines before it is handed out, and leaves their line ends
  TextReader(const InputFile& file, std::int64_t offset, std::vector<std::span<char>> slots, std::size_t headroom,
             int threads, std::function<void(std::span<char>)> edit = {});
  ~TextReader();

  struct Chunk {
    std::span<const char> text;         // valid until the chunk is released
    std::int64_t first_byte, end_byte;  // offset of the text in the file, and of the first byte not yet handed out
    std::int64_t rows;                  // number of lines in the text
  };
  // Returns the next chunk, or nothing at the end. Throws what reading it threw.
  std::optional<Chunk> next();
  // Gives back the chunk that was handed out longest ago. At most S - 1 chunks may be held at a time.
  void release();

 private:
  struct Slot {
    std::span<char> memory;
    int pieces_read = 0;
    std::int64_t line_ends = 0;  // number of line ends in the pieces that are read
  };
  void read_pieces(std::stop_token stop);
  std::int64_t read_piece(std::int64_t chunk, std::int64_t first);  // returns the piece's number of line ends
  std::int64_t read_chunk(std::int64_t chunk);       // all its pieces; returns the chunk's number of line ends
  std::int64_t wait_until_read(std::int64_t chunk);  // likewise, where threads read them
  std::optional<Chunk> cut(std::int64_t chunk, std::int64_t line_ends);
  void release_up_to(std::int64_t chunk);
  std::int64_t bytes_of(std::int64_t chunk) const;
  bool content_follows(std::int64_t position);

  const InputFile& file_;
  const std::int64_t offset_;
  std::vector<Slot> slots_;
  const std::size_t headroom_;
  const std::function<void(std::span<char>)> edit_;
  std::int64_t chunk_bytes_, piece_bytes_, pieces_per_chunk_, chunks_;
  std::vector<char> carried_;        // the start of a line whose end is in the next chunk
  std::int64_t next_chunk_ = 0;      // the chunk that is handed out next
  bool ended_ = false;               // only blank lines follow
  std::deque<std::int64_t> held_;    // chunks that are handed out and not released
  std::int64_t known_content_ = -1;  // offset of a byte ahead that is not a line end

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::int64_t next_piece_ = 0;
  std::int64_t released_ = 0;          // chunks whose slots are free again
  std::exception_ptr error_;           // why the first chunk that failed could not be read
  std::int64_t failed_chunk_ = 0;      // number of that chunk, if there is an error
  std::vector<std::jthread> threads_;  // the last member: the threads start last and end first
};

}  // namespace beatscan
