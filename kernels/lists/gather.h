// kernels/lists/gather.h — chosen elements of a list.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"

namespace beatscan {

// chosen[i] = values[indices[i]], for float, double, std::uint8_t and std::int64_t.
template <class T>
void gather(Cpu&, std::span<const T> values, std::span<const std::int64_t> indices, std::span<T> chosen);
template <class T>
void gather(Cuda&, std::span<const T> values, std::span<const std::int64_t> indices, std::span<T> chosen);

template <class T, class Context>
Buffer<T, Context> gathered(Context& context, const Buffer<T, Context>& values, std::span<const std::int64_t> indices) {
  Buffer<T, Context> chosen(context, static_cast<std::int64_t>(indices.size()));
  gather<T>(context, values, indices, chosen);
  return chosen;
}

// As many elements of a list as are asked for, evenly spread over it: chosen[i] = list[i size / count].
void evenly_spread(Cpu&, std::span<const std::int64_t> list, std::span<std::int64_t> chosen);
void evenly_spread(Cuda&, std::span<const std::int64_t> list, std::span<std::int64_t> chosen);

// At most `most` of a list, evenly spread.
template <class Context>
Buffer<std::int64_t, Context> some_of(Context& context, const Buffer<std::int64_t, Context>& list, std::int64_t most) {
  Buffer<std::int64_t, Context> chosen(context, list.size() < most ? list.size() : most);
  evenly_spread(context, list, chosen);
  return chosen;
}

// The same numbers in 32 bits, which they have to fit.
void narrow(Cpu&, std::span<const std::int64_t> numbers, std::span<std::int32_t> narrow);
void narrow(Cuda&, std::span<const std::int64_t> numbers, std::span<std::int32_t> narrow);

}  // namespace beatscan
