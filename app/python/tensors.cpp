#include "app/python/tensors.h"

#include <ATen/ops/from_blob.h>

#include <string>

#include "kernels/runtime/error.h"
#ifdef BEATSCAN_WITH_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#endif

namespace beatscan::operators {
namespace {

void free_host_memory(void* memory) { Cpu(1).deallocate(memory, 0); }

c10::DeleterFnPtr deleter_of(const Cpu&) { return free_host_memory; }
at::Device device_of(const Cpu&) { return at::kCPU; }

#ifdef BEATSCAN_WITH_CUDA
// Returns the caching allocator's own deleter, so that other streams may use the memory too (Tensor.record_stream).
c10::DeleterFnPtr deleter_of(const Cuda&) { return c10::cuda::CUDACachingAllocator::get()->raw_deleter(); }
at::Device device_of(const Cuda& cuda) { return {at::kCUDA, static_cast<c10::DeviceIndex>(cuda.device())}; }
#endif

template <class T>
std::span<const T> memory_of(const at::Tensor& tensor, const char* name) {
  const auto refuse = [&](const std::string& what) { fail(ErrorKind::usage, name, what); };
  constexpr auto kType = c10::CppTypeToScalarType<T>::value;
  if (tensor.layout() != at::kStrided) refuse("is not dense; .to_dense() makes it so");
  if (tensor.scalar_type() != kType)
    refuse(std::string("is of ") + c10::toString(tensor.scalar_type()) + "; .to() makes it " + c10::toString(kType));
  if (!tensor.is_contiguous()) refuse("is not contiguous; .contiguous() makes it so");
  if (tensor.is_neg()) refuse("is a lazy negative; .resolve_neg() makes it whole");
  return {tensor.const_data_ptr<T>(), static_cast<std::size_t>(tensor.numel())};
}

}  // namespace

template <class T>
std::span<const T> span_of(const at::Tensor& tensor, const char* name) {
  if (tensor.dim() != 1)
    fail(ErrorKind::usage, name, "has " + std::to_string(tensor.dim()) + " dimensions; give one recording, of one");
  return memory_of<T>(tensor, name);
}

template <class T>
std::vector<std::span<const T>> rows_of(const at::Tensor& tensor, const char* name) {
  if (tensor.dim() != 1 && tensor.dim() != 2)
    fail(ErrorKind::usage, name,
         "has " + std::to_string(tensor.dim()) + " dimensions; give samples [N], or leads by row [L, N]");
  const auto all = memory_of<T>(tensor, name);
  const std::size_t count = tensor.dim() == 1 ? 1 : static_cast<std::size_t>(tensor.size(0));
  std::vector<std::span<const T>> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(all.subspan(i * (all.size() / count), all.size() / count));
  return rows;
}

template std::span<const float> span_of(const at::Tensor&, const char*);
template std::span<const double> span_of(const at::Tensor&, const char*);
template std::span<const std::uint8_t> span_of(const at::Tensor&, const char*);
template std::vector<std::span<const float>> rows_of(const at::Tensor&, const char*);
template std::vector<std::span<const std::uint8_t>> rows_of(const at::Tensor&, const char*);

template <class T, class Context>
at::Tensor tensor_of(const Context& context, Buffer<T, Context> buffer, const std::vector<std::int64_t>& sizes) {
  T* memory = buffer.hand_over();
  return at::for_blob(memory, sizes)
      .context(memory, deleter_of(context))
      .options(at::device(device_of(context)).dtype(c10::CppTypeToScalarType<T>::value))
      .target_device(device_of(context))
      .make_tensor();
}

#define BEATSCAN_TENSOR_OF(T, Context) \
  template at::Tensor tensor_of(const Context&, Buffer<T, Context>, const std::vector<std::int64_t>&);
#define BEATSCAN_TENSORS_OF(Context)        \
  BEATSCAN_TENSOR_OF(float, Context)        \
  BEATSCAN_TENSOR_OF(double, Context)       \
  BEATSCAN_TENSOR_OF(std::int64_t, Context) \
  BEATSCAN_TENSOR_OF(std::uint8_t, Context) \
  BEATSCAN_TENSOR_OF(bool, Context)
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_TENSORS_OF)

}  // namespace beatscan::operators
