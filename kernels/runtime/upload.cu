#include "kernels/runtime/upload.h"

#include <cuda_runtime.h>

#include "kernels/runtime/error.h"
#include "kernels/runtime/idle.h"

namespace beatscan {
namespace {

constexpr std::int64_t kWord = 16;  // kernels read words of so many bytes, whole also at the end of a piece

IdleOfDevices<UploadLane>& idle_lanes() {
  static auto* lanes = new IdleOfDevices<UploadLane>;  // never deleted: an upload may end after this file's objects
  return *lanes;
}

CUevent_st* new_event() {
  cudaEvent_t event = nullptr;
  BEATSCAN_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

UploadLane lane_on(int device) {
  if (const auto idle = idle_lanes().take(device)) return *idle;
  UploadLane lane;
  BEATSCAN_CUDA_CHECK(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
  for (auto* events : {&lane.copied, &lane.used})
    for (CUevent_st*& event : *events) event = new_event();
  return lane;
}

}  // namespace

Upload<Cuda>::Upload(Cuda& cuda, std::int64_t max_bytes) : cuda_(cuda), lane_(lane_on(cuda.device())) {
  const std::int64_t whole_words = (max_bytes + kWord - 1) / kWord * kWord;
  for (auto& piece : pieces_) piece.memory = Buffer<char, Cuda>(cuda, whole_words);
}

// Waits for copies into the memory that is about to be freed.
Upload<Cuda>::~Upload() {
  if (cudaStreamSynchronize(lane_.stream) == cudaSuccess) idle_lanes().keep(cuda_.device(), lane_);
}

// The copy waits for the work on the piece that this one replaces, which was queued before. The first two waits also
// cover earlier uses of the pool's memory.
void Upload<Cuda>::start(std::span<const char> text) {
  const std::size_t at = started_++ % 2;
  Piece& piece = pieces_[at];
  BEATSCAN_EXPECTS(std::ssize(text) <= piece.memory.size(), "Upload: a piece larger than announced");
  BEATSCAN_CUDA_CHECK(cudaEventRecord(lane_.used[at], cuda_.stream()));
  BEATSCAN_CUDA_CHECK(cudaStreamWaitEvent(lane_.stream, lane_.used[at]));
  piece.size = static_cast<std::int64_t>(text.size());
  if (!text.empty())
    BEATSCAN_CUDA_CHECK(
        cudaMemcpyAsync(piece.memory.data(), text.data(), text.size(), cudaMemcpyDefault, lane_.stream));
  // The rest of the last word is cleared of an earlier piece.
  if (const auto rest = static_cast<std::size_t>(-piece.size & (kWord - 1)))
    BEATSCAN_CUDA_CHECK(cudaMemsetAsync(piece.memory.data() + piece.size, 0, rest, lane_.stream));
  BEATSCAN_CUDA_CHECK(cudaEventRecord(lane_.copied[at], lane_.stream));
}

std::span<const char> Upload<Cuda>::finish() {
  BEATSCAN_EXPECTS(finished_ < started_, "Upload: nothing was started");
  const std::size_t at = finished_++ % 2;
  const Piece& piece = pieces_[at];
  BEATSCAN_CUDA_CHECK(cudaEventSynchronize(lane_.copied[at]));
  BEATSCAN_CUDA_CHECK(cudaStreamWaitEvent(cuda_.stream(), lane_.copied[at]));
  return piece.memory.span().first(static_cast<std::size_t>(piece.size));
}

}  // namespace beatscan
