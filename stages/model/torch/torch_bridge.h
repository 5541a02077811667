// stages/model/torch/torch_bridge.h — makes LibTorch tensors over a context's memory. Besides `main` it is the only
// place that branches on the device.
#pragma once

#include <torch/types.h>

#ifdef BEATSCAN_WITH_CUDA
#include <c10/cuda/CUDAGuard.h>
#endif

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"

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

// Calls a function that uses LibTorch. A GPU that fails within LibTorch's operations becomes ErrorKind::device, as one
// that fails within this program's kernels.
template <class Work>
auto with_device_errors(const Cpu&, Work&& work) {
  return work();
}
#ifdef BEATSCAN_WITH_CUDA
template <class Work>
auto with_device_errors(const Cuda&, Work&& work) {
  const auto failure = [](const c10::Error& error) {
    const std::string what = error.what_without_backtrace();
    return Error(ErrorKind::device, "LibTorch: " + what.substr(0, what.find('\n')));
  };
  try {
    return work();
  } catch (const c10::OutOfMemoryError& error) {
    throw failure(error);
  } catch (const c10::AcceleratorError& error) {
    throw failure(error);
  }
}
#endif

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

// Copies a tensor to the host.
template <class T>
std::vector<T> host_values(const torch::Tensor& tensor) {
  const torch::Tensor host = tensor.detach().to(torch::kCPU, scalar_type<T>()).contiguous();
  return {host.const_data_ptr<T>(), host.const_data_ptr<T>() + host.numel()};
}

}  // namespace beatscan
