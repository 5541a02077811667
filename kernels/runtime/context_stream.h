// kernels/runtime/context_stream.h — the stream of a context, which a later context reuses.
//
// A stream is never destroyed: SharedMemory keeps freed blocks for the stream that they were used on. A program
// that makes one context after the other has as many streams as it had contexts at the same time, and one cache for
// each.
#pragma once

struct CUstream_st;

namespace beatscan {

class ContextStream {
 public:
  // Takes a free stream that an earlier context on this device has released, or makes one. The device must be CUDA's
  // current one.
  explicit ContextStream(int device);
  explicit ContextStream(CUstream_st* of_others) : stream_(of_others) {}
  // Releases the stream for the next context, unless it is not owned or its work has failed.
  ~ContextStream();
  ContextStream(ContextStream&&) = delete;

  operator CUstream_st*() const { return stream_; }

 private:
  CUstream_st* stream_ = nullptr;
  int device_ = -1;  // negative if the stream is not owned
};

}  // namespace beatscan
