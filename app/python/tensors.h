// app/python/tensors.h — converts tensors to the program's arrays and back, in the same memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>

#include "kernels/detect/quality_class.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"
#include "stages/io/recording/recording.h"
#include "stages/quality/signal_quality.h"
#ifdef BEATSCAN_WITH_CUDA
#include <c10/cuda/CUDAGuard.h>
#endif

namespace beatscan::operators {

// Returns a tensor's memory for reading. Throws ErrorKind::usage, with a remedy, unless the tensor has one dimension,
// is contiguous and is of type T (float, double, std::uint8_t); `name` is the argument's.
template <class T>
std::span<const T> span_of(const at::Tensor& tensor, const char* name);

// Returns the rows of a tensor [L, N], or [N] as a single row. Throws as span_of does.
template <class T>
std::vector<std::span<const T>> rows_of(const at::Tensor& tensor, const char* name);

// Makes a tensor of these sizes from a buffer's memory, which PyTorch then owns and frees.
// T: float, double, std::int64_t, std::uint8_t, bool.
template <class T, class Context>
at::Tensor tensor_of(const Context& context, Buffer<T, Context> buffer, const std::vector<std::int64_t>& sizes);
template <class T, class Context>
at::Tensor tensor_of(const Context& context, Buffer<T, Context> buffer) {
  const std::int64_t size = buffer.size();
  return tensor_of(context, std::move(buffer), {size});
}

// Copies host values to a tensor on the context's device.
template <class T, class Context>
at::Tensor tensor_of(Context& context, const std::vector<T>& values) {
  return tensor_of(context, from_host(context, values));
}

#ifdef BEATSCAN_WITH_CUDA
// Lends a context on the current device and stream to one call. Contexts are kept for later calls, because creating the
// cuFFT plans of the published method takes longer than using them.
class BorrowedCuda {
 public:
  BorrowedCuda();
  ~BorrowedCuda();
  BorrowedCuda(BorrowedCuda&&) = delete;
  Cuda& context() { return *context_; }

 private:
  std::unique_ptr<Cuda> context_;
};
#endif

// Calls work(context) with a Cpu or a Cuda, on the device of x.
template <class Work>
auto on_device_of([[maybe_unused]] const at::Tensor& x, Work&& work) {
#ifdef BEATSCAN_WITH_CUDA
  if (x.is_cuda()) {
    const c10::cuda::CUDAGuard device(x.device());
    BorrowedCuda cuda;
    return work(cuda.context());
  }
#endif
  Cpu cpu(at::get_num_threads());
  return work(cpu);
}

// The leads of a recording as rows of a tensor.
//
// x is a tensor [N] of one lead, or [L][N] of leads by row. The recording contains the rows that can be read. Results
// by lead cover all rows of x: they have a dimension L if x has one.

// Makes a recording of the signal x [N], or of leads by row [L, N], in the tensor's memory. A lead is copied only if
// samples are missing (NaN), since these are bridged. If there are several leads, those without a value and flat ones
// are skipped; a lead's name is the number of its row. Throws ErrorKind::usage for a tensor that is not a signal
// (tensors.h), and ErrorKind::unanalysable for one that is too short, flat or not finite.
template <class Context>
Recording<Context> recording_of(Context&, const at::Tensor& x, std::optional<double> rate_hz);

// Returns the row of x for each lead of its recording.
template <class Context>
std::vector<std::int64_t> rows_of_leads(const Recording<Context>& recording);

// Returns the sizes of a tensor with `sizes` for each lead of x.
std::vector<std::int64_t> sizes_by_lead(const at::Tensor& x, std::vector<std::int64_t> sizes);

// Returns the quality of each block as codes, [L][B] or [B]. A row that is not in the recording is flat or missing
// throughout.
//   leads  for each lead of the recording; none with method published, which makes B 0
template <class Context>
at::Tensor blocks_of(Context&, const at::Tensor& x, const Recording<Context>& recording,
                     const std::vector<SignalQuality>& leads);

// Returns the quality of blocks for the recording's leads. Throws ErrorKind::usage unless `blocks` has the shape and
// the codes of blocks_of.
template <class Context>
std::vector<std::vector<Quality>> blocks_in(Context&, const at::Tensor& x, const at::Tensor& blocks,
                                            const Recording<Context>& recording);

// Returns qualities as numbers for tensors, in the order of the enum.
std::vector<std::uint8_t> codes_of(const std::vector<Quality>& quality);

}  // namespace beatscan::operators
