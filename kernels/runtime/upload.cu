#include "kernels/runtime/upload.h"

#include <cuda_runtime.h>

#include "kernels/runtime/error.h"
#include "kernels/runtime/idle.h"

namespace beatscan {
namespace {

constexpr std::int64_t kWord = 16;  // kernels read words of so many bytes, whole also at the end of a piece

IdleOfDevices<UploadLane::Parts>& idle_lanes() {
  static auto* lanes =
      new IdleOfDevices<UploadLane::Parts>;  // never deleted: an upload may end after this file's objects
  return *lanes;
}

}  // namespace

UploadLane::UploadLane(int on_device) : device(on_device) {
  if (const auto idle = idle_lanes().take(device)) {
    parts = *idle;
    return;
  }
  BEATSCAN_CUDA_CHECK(cudaStreamCreateWithFlags(&parts.stream, cudaStreamNonBlocking));
  for (auto* events : {&parts.copied, &parts.used})
    for (CUevent_st*& event : *events) BEATSCAN_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
}

UploadLane::~UploadLane() {
  if (cudaStreamSynchronize(parts.stream) == cudaSuccess) idle_lanes().keep(device, parts);
}

Upload<Cuda>::Upload(Cuda& cuda, std::int64_t max_bytes) : cuda_(cuda), lane_(cuda.device()) {
  const std::int64_t whole_words = (max_bytes + kWord - 1) / kWord * kWord;
  for (auto& piece : pieces_) piece.memory = Buffer<char, Cuda>(cuda, whole_words);
}

// The copy waits for the work on the piece that this one replaces, which was queued before. The first two waits also
// cover earlier uses of the pool's memory.
void Upload<Cuda>::start(std::span<const char> text) {
  const std::size_t at = started_++ % 2;
  Piece& piece = pieces_[at];
  BEATSCAN_EXPECTS(std::ssize(text) <= piece.memory.size(), "Upload: a piece larger than announced");
  BEATSCAN_CUDA_CHECK(cudaEventRecord(lane_.parts.used[at], cuda_.stream()));
  BEATSCAN_CUDA_CHECK(cudaStreamWaitEvent(lane_.parts.stream, lane_.parts.used[at]));
  piece.size = static_cast<std::int64_t>(text.size());
  if (!text.empty())
    BEATSCAN_CUDA_CHECK(
        cudaMemcpyAsync(piece.memory.data(), text.data(), text.size(), cudaMemcpyDefault, lane_.parts.stream));
  // The rest of the last word is cleared of an earlier piece.
  if (const auto rest = static_cast<std::size_t>(-piece.size & (kWord - 1)))
    BEATSCAN_CUDA_CHECK(cudaMemsetAsync(piece.memory.data() + piece.size, 0, rest, lane_.parts.stream));
  BEATSCAN_CUDA_CHECK(cudaEventRecord(lane_.parts.copied[at], lane_.parts.stream));
}

std::span<const char> Upload<Cuda>::finish() {
  BEATSCAN_EXPECTS(finished_ < started_, "Upload: nothing was started");
  const std::size_t at = finished_++ % 2;
  const Piece& piece = pieces_[at];
  BEATSCAN_CUDA_CHECK(cudaEventSynchronize(lane_.parts.copied[at]));
  BEATSCAN_CUDA_CHECK(cudaStreamWaitEvent(cuda_.stream(), lane_.parts.copied[at]));
  return piece.memory.span().first(static_cast<std::size_t>(piece.size));
}

}  // namespace beatscan
