// app/operators/tensors.h — turns tensors into the program's arrays and back, in the same memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"

namespace beatscan::operators {

// Returns a tensor's memory, to be read. Throws ErrorKind::usage, saying what to do, unless the tensor is of one
// dimension, contiguous and of T (float, double, std::uint8_t); `name` is the argument's.
template <class T>
std::span<const T> span_of(const at::Tensor& tensor, const char* name);

// Returns the rows of a tensor [L, N], or of [N] as the only one. Throws as span_of does.
template <class T>
std::vector<std::span<const T>> rows_of(const at::Tensor& tensor, const char* name);

// Makes a buffer's memory that of a tensor of these sizes, which PyTorch frees as its own.
// T: float, double, std::int64_t, std::uint8_t, bool.
template <class T, class Context>
at::Tensor tensor_of(const Context& context, Buffer<T, Context> buffer, const std::vector<std::int64_t>& sizes);
template <class T, class Context>
at::Tensor tensor_of(const Context& context, Buffer<T, Context> buffer) {
  const std::int64_t size = buffer.size();
  return tensor_of(context, std::move(buffer), {size});
}

// Copies values of the host to a tensor on the context's device.
template <class T, class Context>
at::Tensor tensor_of(Context& context, const std::vector<T>& values) {
  return tensor_of(context, from_host(context, values));
}

}  // namespace beatscan::operators
