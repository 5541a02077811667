// kernels/runtime/context_stream.h — the stream of a context, which a later context takes over.
//
// A stream is never destroyed: LibTorch's allocator keeps freed memory for the stream that it was used on. A program
// that makes one context after the other has as many streams as there were contexts at a time, and one cache for each.
#pragma once

struct CUstream_st;

namespace beatscan {

class ContextStream {
 public:
  // Takes an idle stream that a context on this device has left, or makes one. The device must be CUDA's current one.
  explicit ContextStream(int device);
  explicit ContextStream(CUstream_st* of_others) : stream_(of_others) {}
  // Leaves the stream to the next context, unless it is another's or its work has failed.
  ~ContextStream();
  ContextStream(ContextStream&&) = delete;

  operator CUstream_st*() const { return stream_; }

 private:
  CUstream_st* stream_ = nullptr;
  int device_ = -1;  // negative where the stream is another's
};

}  // namespace beatscan
