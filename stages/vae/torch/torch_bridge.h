// stages/vae/torch/torch_bridge.h — makes LibTorch tensors over a context's memory. Beside `main` it is the one place
// that branches on the device.
#pragma once

#include <torch/types.h>

#ifdef BEATSCAN_WITH_CUDA
#include <c10/cuda/CUDAGuard.h>
#endif

#include "kernels/runtime/buffer.h"

namespace beatscan {

inline torch::Device torch_device(const Cpu&) { return torch::kCPU; }
inline torch::Device torch_device(const Cuda& cuda) {
  return {torch::kCUDA, static_cast<c10::DeviceIndex>(cuda.device())};
}

// Makes LibTorch queue its work on the context's stream while the object lives. LibTorch's CUDA operations must be
// loaded.
class TorchScope {
 public:
  explicit TorchScope(const Cpu&) {}
#ifdef BEATSCAN_WITH_CUDA
  explicit TorchScope(const Cuda& cuda) {
    guard_.emplace(
        c10::cuda::getStreamFromExternal(cuda.stream(), static_cast<c10::DeviceIndex>(cuda.device())).unwrap());
  }

 private:
  std::optional<c10::cuda::CUDAStreamGuard> guard_;
#endif
};

template <class T>
constexpr torch::ScalarType scalar_type() {
  if constexpr (std::is_same_v<T, float>) return torch::kFloat32;
  if constexpr (std::is_same_v<T, std::int32_t>) return torch::kInt32;
}

// Returns a tensor on memory of the context, which must outlive the tensor. If the first length of the shape is -1, it
// follows from the others.
template <class T, class Context>
torch::Tensor view(const Context& context, std::span<const T> memory, std::vector<std::int64_t> shape) {
  if (shape[0] < 0) shape[0] = std::ssize(memory) / -c10::multiply_integers(shape);
  return torch::from_blob(const_cast<T*>(memory.data()), shape,
                          torch::TensorOptions().dtype(scalar_type<T>()).device(torch_device(context)));
}
template <class T, class Context>
torch::Tensor view(const Context& context, const Buffer<T, Context>& buffer, std::vector<std::int64_t> shape) {
  return view(context, buffer.span(), std::move(shape));
}

// Returns the memory of a contiguous float32 tensor.
inline std::span<float> span_of(const torch::Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

// Copies values on the host into the context's memory.
template <class Context>
Buffer<float, Context> copied(Context& context, std::span<const float> values) {
  Buffer<float, Context> buffer(context, std::ssize(values));
  copy<float>(context, values, buffer);  // the values are not page-locked, so they have been read by now
  return buffer;
}

// Copies a tensor to the host.
template <class T>
std::vector<T> host_values(const torch::Tensor& tensor) {
  const torch::Tensor host = tensor.detach().to(torch::kCPU, scalar_type<T>()).contiguous();
  return {host.const_data_ptr<T>(), host.const_data_ptr<T>() + host.numel()};
}

}  // namespace beatscan
