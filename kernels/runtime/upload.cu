#include "kernels/runtime/upload.h"

#include <cuda_runtime.h>

#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

constexpr std::int64_t kWord = 16;  // kernels read words of so many bytes, whole also at the end of a piece

}  // namespace

Upload<Cuda>::Upload(Cuda& cuda, std::int64_t max_bytes) : cuda_(cuda) {
  const std::int64_t whole_words = (max_bytes + kWord - 1) / kWord * kWord;
  BEATSCAN_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  for (auto& piece : pieces_) {
    piece.memory = Buffer<char, Cuda>(cuda, whole_words);
    BEATSCAN_CUDA_CHECK(cudaEventCreateWithFlags(&piece.copied, cudaEventDisableTiming));
    BEATSCAN_CUDA_CHECK(cudaEventCreateWithFlags(&piece.used, cudaEventDisableTiming));
  }
}

Upload<Cuda>::~Upload() {
  cudaStreamSynchronize(stream_);  // waits for copies into the memory that is about to be freed
  for (auto& piece : pieces_) {
    if (piece.copied) cudaEventDestroy(piece.copied);
    if (piece.used) cudaEventDestroy(piece.used);
  }
  cudaStreamDestroy(stream_);
}

// The copy waits for the work on the piece that this one replaces, which was queued before. The first two waits also
// cover earlier uses of the pool's memory.
void Upload<Cuda>::start(std::span<const char> text) {
  Piece& piece = pieces_[started_++ % 2];
  BEATSCAN_EXPECTS(std::ssize(text) <= piece.memory.size(), "Upload: a piece larger than announced");
  BEATSCAN_CUDA_CHECK(cudaEventRecord(piece.used, cuda_.stream()));
  BEATSCAN_CUDA_CHECK(cudaStreamWaitEvent(stream_, piece.used));
  piece.size = static_cast<std::int64_t>(text.size());
  if (!text.empty())
    BEATSCAN_CUDA_CHECK(cudaMemcpyAsync(piece.memory.data(), text.data(), text.size(), cudaMemcpyDefault, stream_));
  // The rest of the last word is cleared of an earlier piece.
  if (const auto rest = static_cast<std::size_t>(-piece.size & (kWord - 1)))
    BEATSCAN_CUDA_CHECK(cudaMemsetAsync(piece.memory.data() + piece.size, 0, rest, stream_));
  BEATSCAN_CUDA_CHECK(cudaEventRecord(piece.copied, stream_));
}

std::span<const char> Upload<Cuda>::finish() {
  BEATSCAN_EXPECTS(finished_ < started_, "Upload: nothing was started");
  const Piece& piece = pieces_[finished_++ % 2];
  BEATSCAN_CUDA_CHECK(cudaEventSynchronize(piece.copied));
  BEATSCAN_CUDA_CHECK(cudaStreamWaitEvent(cuda_.stream(), piece.copied));
  return piece.memory.span().first(static_cast<std::size_t>(piece.size));
}

}  // namespace beatscan
