// stages/text_reader.h — a text file as a sequence of chunks of whole lines, read ahead in the background.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

namespace beatscan {

// An open file descriptor. Errors are Status::input and name the file.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  bool regular() const { return regular_; }
  std::int64_t size() const { return size_; }  // bytes when it was opened; 0 for a pipe

  // Fills `target` from byte `offset` on as far as the file reaches; returns the bytes read. Several threads share the
  // work where the file can be read at any place.
  std::int64_t read(std::int64_t offset, std::span<char> target, int threads) const;

 private:
  std::filesystem::path path_;
  int descriptor_;
  bool regular_;
  std::int64_t size_;
};

// Hands out the text from `offset` on in chunks of whole lines without the last line's end (the form that kernels/csv.h
// takes). Blank lines at the very end of the file are left out. Memory is the slots, however long the file.
class TextReader {
 public:
  // Each slot holds one chunk; with S slots up to S - 1 chunks are read ahead.
  TextReader(const InputFile& file, std::int64_t offset, std::vector<std::span<char>> slots, int threads);
  ~TextReader();

  // The next chunk, empty optional at the end. Its memory is valid until the call after; throws what reading threw.
  std::optional<std::span<const char>> next();
  std::int64_t chunk_offset() const { return chunk_offset_; }  // byte of the file where the chunk handed out last starts
  std::int64_t bytes_read() const { return bytes_read_; }      // and up to where the file is handed out with it

 private:
  struct Chunk {
    std::size_t slot;
    std::span<const char> text;
    std::int64_t first_byte, end_byte;
  };
  void read_ahead(std::stop_token stop);
  std::optional<std::size_t> take_free_slot(std::stop_token stop);
  void deliver(Chunk chunk);
  bool content_follows(std::int64_t position);

  const InputFile& file_;
  std::int64_t offset_;
  std::vector<std::span<char>> slots_;
  int threads_;
  std::int64_t chunk_offset_ = 0, bytes_read_ = 0;
  std::int64_t known_content_ = -1;  // of the reading thread: a byte ahead that is no line end

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::size_t> free_;
  std::deque<Chunk> ready_;
  std::optional<std::size_t> in_use_;
  bool done_ = false;
  std::exception_ptr error_;
  std::jthread thread_;  // last: it starts when all else is there, and ends first
};

}  // namespace beatscan
