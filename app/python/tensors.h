// app/python/tensors.h — converts tensors to the program's arrays and back, in the same memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"

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

}  // namespace beatscan::operators
