// app/python/arrays.h — arrays of a caller, such as PyTorch's tensors, and arrays that are handed over to it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/detect/quality_class.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"
#include "stages/io/recording/recording.h"
#include "stages/quality/signal_quality.h"

namespace beatscan::operators {

// Types of values, as numbers of the C interface (embedded/stages.h).
enum class ArrayType : std::int32_t { float32, float64, int64, uint8, boolean };

// A caller's array, dense, with the last dimension's values side by side. It is only read.
struct Array {
  ArrayType type = ArrayType::float32;
  std::vector<std::int64_t> sizes;
  const void* data = nullptr;

  std::int64_t dim() const { return std::ssize(sizes); }
};

std::int64_t elements_of(const Array& array);

// An array that a caller gets. It frees its memory unless the caller takes it by memory.release().
struct OwnedArray {
  ArrayType type = ArrayType::float32;
  std::vector<std::int64_t> sizes;
  std::unique_ptr<void, std::function<void(void*)>> memory;
};

// Where a caller's arrays are, and where work is done.
struct Place {
  int device = -1;                // a GPU, or -1: the host
  CUstream_st* stream = nullptr;  // of the GPU
  int threads = 0;                // on the host; 0: as many as the program takes
};

// Returns an array's memory for reading. Throws ErrorKind::usage unless the array has one dimension and is of type T
// (float, double, std::uint8_t); `name` is the argument's.
template <class T>
std::span<const T> span_of(const Array& array, const char* name);

// Returns the rows of an array [L, N], or [N] as a single row. Throws as span_of does.
template <class T>
std::vector<std::span<const T>> rows_of(const Array& array, const char* name);

// Makes an array of these sizes of a buffer's memory, which the caller then owns and frees.
// T: float, double, std::int64_t, std::uint8_t, bool.
template <class T, class Context>
OwnedArray array_of(const Context& context, Buffer<T, Context> buffer, const std::vector<std::int64_t>& sizes);
template <class T, class Context>
OwnedArray array_of(const Context& context, Buffer<T, Context> buffer) {
  const std::int64_t size = buffer.size();
  return array_of(context, std::move(buffer), {size});
}

// Copies host values to an array on the context's device.
template <class T, class Context>
OwnedArray array_of(Context& context, const std::vector<T>& values) {
  return array_of(context, from_host(context, values));
}

#ifdef BEATSCAN_WITH_CUDA
// Lends a context on a device and a stream to one call, and makes the device the current one. Contexts are kept for
// later calls, because creating the cuFFT plans of the published method takes longer than using them.
class BorrowedCuda {
 public:
  explicit BorrowedCuda(const Place& place);
  ~BorrowedCuda();
  BorrowedCuda(BorrowedCuda&&) = delete;
  Cuda& context() { return *context_; }

 private:
  std::unique_ptr<Cuda> context_;
};
#endif

// Calls work(context) with a Cpu or a Cuda.
template <class Work>
auto at_place(const Place& place, Work&& work) {
#ifdef BEATSCAN_WITH_CUDA
  if (place.device >= 0) {
    BorrowedCuda cuda(place);
    return work(cuda.context());
  }
#endif
  Cpu cpu(place.threads);
  return work(cpu);
}

// The leads of a recording as rows of an array.
//
// x is an array [N] of one lead, or [L][N] of leads by row. The recording contains the rows that can be read. Results
// by lead cover all rows of x: they have a dimension L if x has one.

// Makes a recording of the signal x [N], or of leads by row [L, N], in the array's memory. A lead is copied only if
// samples are missing (NaN), since these are bridged. If there are several leads, those without a value and flat ones
// are skipped; a lead's name is the number of its row. Throws ErrorKind::usage for an array that is not a signal, and
// ErrorKind::unanalysable for one that is too short, flat or not finite.
template <class Context>
Recording<Context> recording_of(Context&, const Array& x, std::optional<double> rate_hz);

// Returns the row of x for each lead of its recording.
template <class Context>
std::vector<std::int64_t> rows_of_leads(const Recording<Context>& recording);

// Returns the sizes of an array with `sizes` for each lead of x.
std::vector<std::int64_t> sizes_by_lead(const Array& x, std::vector<std::int64_t> sizes);

// Returns the quality of each block as codes, [L][B] or [B]. A row that is not in the recording is flat or missing
// throughout.
//   leads  for each lead of the recording; none with method published, which makes B 0
template <class Context>
OwnedArray blocks_of(Context&, const Array& x, const Recording<Context>& recording,
                     const std::vector<SignalQuality>& leads);

// Returns the quality of blocks for the recording's leads. Throws ErrorKind::usage unless `blocks` has the shape and
// the codes of blocks_of.
template <class Context>
std::vector<std::vector<Quality>> blocks_in(Context&, const Array& x, const Array& blocks,
                                            const Recording<Context>& recording);

// Returns qualities as numbers for arrays, in the order of the enum.
std::vector<std::uint8_t> codes_of(const std::vector<Quality>& quality);

}  // namespace beatscan::operators
