// kernels/runtime/upload.h — copies text to a context's memory, one piece ahead of the work on it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>

#include "kernels/runtime/buffer.h"

namespace beatscan {

// Calls go start(k), start(k + 1), finish() -> k, start(k + 2), finish() -> k + 1, ...: at most two pieces are under
// way. finish() -> k returns piece k in the context's memory, for work that is queued before start(k + 2). On Cuda the
// host memory of piece k may be used again when finish() has returned; on Cpu it is the piece itself.
template <class Context>
class Upload;

// Returns the host memory of each piece itself: nothing is copied.
template <>
class Upload<Cpu> {
 public:
  Upload(Cpu&, std::int64_t) {}
  void start(std::span<const char> text) { texts_.push_back(text); }
  std::span<const char> finish() {
    const auto text = texts_.front();
    texts_.pop_front();
    return text;
  }

 private:
  std::deque<std::span<const char>> texts_;
};

// A stream to copy on, and events for when each of two pieces is copied and used. A later upload on the device reuses
// them.
struct UploadLane {
  explicit UploadLane(int device);
  ~UploadLane();  // waits for the copies
  UploadLane(UploadLane&&) = delete;

  struct Parts {
    CUstream_st* stream = nullptr;
    std::array<CUevent_st*, 2> copied{}, used{};
  } parts;
  int device;
};

// Copies on a stream of its own, overlapped with the context's work on the previous piece.
template <>
class Upload<Cuda> {
 public:
  Upload(Cuda& cuda, std::int64_t max_bytes);  // max_bytes: size of the largest piece
  Upload(Upload&&) = delete;
  void start(std::span<const char> text);
  std::span<const char> finish();

 private:
  struct Piece {
    Buffer<char, Cuda> memory;
    std::int64_t size = 0;
  };
  Cuda& cuda_;
  std::array<Piece, 2> pieces_;
  UploadLane lane_;  // its end waits for copies into the pieces, whose memory is freed after it
  std::int64_t started_ = 0, finished_ = 0;
};

}  // namespace beatscan
