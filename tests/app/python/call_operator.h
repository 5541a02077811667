// tests/app/python/call_operator.h — calls an operator with LibTorch's tensors, as beatscan/operators.py does.
#pragma once

#include <ATen/Functions.h>
#include <ATen/core/Dict.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>
#ifdef BEATSCAN_WITH_CUDA
#include <c10/cuda/CUDAGuard.h>
#endif

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/python/caller_memory.h"
#include "app/python/operators.h"

namespace beatscan {

using Columns = c10::Dict<std::string, at::Tensor>;
using OperatorArguments = std::map<std::string, c10::IValue>;

// Values of ArrayType, in their order.
inline constexpr at::ScalarType kTensorTypes[] = {at::kFloat, at::kDouble, at::kLong, at::kByte, at::kBool};

inline operators::Array array_from(const at::Tensor& tensor) {
  const auto type = std::ranges::find(kTensorTypes, tensor.scalar_type()) - std::begin(kTensorTypes);
  return {static_cast<operators::ArrayType>(type), tensor.sizes().vec(), tensor.const_data_ptr()};
}

#ifdef BEATSCAN_WITH_CUDA
// Memory of LibTorch that operators have, by address.
struct LentTensors {
  std::mutex mutex;
  std::map<void*, at::Tensor> by_address;

  at::Tensor take(void* address) {
    const std::lock_guard lock(mutex);
    return by_address.extract(address).mapped();
  }
};
inline LentTensors& lent_tensors() {
  static LentTensors& lent = *new LentTensors;  // never destroyed, as CUDA may have ended by then
  return lent;
}

inline void* lend(std::size_t bytes, int device, void* stream) {
  const auto index = static_cast<c10::DeviceIndex>(device);
  const c10::cuda::CUDAStreamGuard guard(
      c10::cuda::getStreamFromExternal(static_cast<CUstream_st*>(stream), index).unwrap());
  const at::Tensor tensor = at::empty({static_cast<std::int64_t>(bytes)},
                                      at::TensorOptions().dtype(at::kByte).device(at::Device(at::kCUDA, index)));
  const std::lock_guard lock(lent_tensors().mutex);
  return lent_tensors().by_address.emplace(tensor.data_ptr(), tensor).first->first;
}

inline operators::Place place_of(const at::Tensor& x) {
  if (!x.is_cuda()) return {};
  operators::use_allocator(
      {lend, [](void* memory) { lent_tensors().take(memory); }, [](int) { return std::int64_t{}; }});
  return {x.device().index(), c10::cuda::getCurrentCUDAStream(x.device().index()).stream(), 0};
}
#else
inline operators::Place place_of(const at::Tensor&) { return {}; }
#endif

// Makes a tensor of a result, in its memory.
inline at::Tensor tensor_from(operators::OwnedArray& array, const at::Device& device) {
  const auto options = at::TensorOptions().dtype(kTensorTypes[static_cast<int>(array.type)]).device(device);
#ifdef BEATSCAN_WITH_CUDA
  if (device.is_cuda()) {
    const at::Tensor memory = lent_tensors().take(array.memory.release());
    return at::empty({0}, options).set_(memory.storage(), 0, array.sizes);
  }
#endif
  const auto free = array.memory.get_deleter();
  return at::from_blob(array.memory.release(), array.sizes, free, options);
}

inline Json json_of(const c10::IValue& value) {
  if (value.isBool()) return value.toBool();
  if (value.isInt()) return value.toInt();
  if (value.isDouble()) return value.toDouble();
  return value.toStringRef();
}

// Calls an operator with some arguments by name; the others have their defaults.
inline c10::Stack call(const std::string& name, const OperatorArguments& given, const std::string& overload = "") {
  Json arguments = Json::object();
  operators::Call call{overload.empty() ? name : name + "." + overload, arguments, {}, {}};
  for (const auto& [key, value] : given) {
    if (value.isTensor()) call.arrays[key] = array_from(value.toTensor());
    if (!value.isTensor() && !value.isGenericDict()) arguments[key] = json_of(value);
    if (value.isGenericDict())
      for (const auto& entry : value.to<Columns>())
        call.arrays["parameters." + entry.key()] = array_from(entry.value());
  }
  const at::Device device = given.at("x").toTensor().device();
  call.place = place_of(given.at("x").toTensor());
  c10::Stack stack;
  Columns columns;
  for (auto& [key, array] : operators::run_operator(call)) {
    stack.push_back(tensor_from(array, device));
    columns.insert(key, stack.back().toTensor());
  }
  return name == "score" || name == "delineate" ? c10::Stack{columns} : stack;
}

}  // namespace beatscan
