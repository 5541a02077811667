// kernels/lists/gather.h — small operations on lists of flags and of indices, item by item. A wrong shape throws
// ErrorKind::internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"

namespace beatscan {

// both[i] = 1 where a[i] and b[i] are set, else 0
void both_flags(Cpu&, std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, std::span<std::uint8_t> both);
void both_flags(Cuda&, std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, std::span<std::uint8_t> both);

// flags[i] = 1 where codes[i] is `code`, else 0
void flag_equal(Cpu&, std::span<const std::uint8_t> codes, std::uint8_t code, std::span<std::uint8_t> flags);
void flag_equal(Cuda&, std::span<const std::uint8_t> codes, std::uint8_t code, std::span<std::uint8_t> flags);

// flags[i] = 1 where values[i] is above `limit`, else 0
void flag_above(Cpu&, std::span<const float> values, float limit, std::span<std::uint8_t> flags);
void flag_above(Cuda&, std::span<const float> values, float limit, std::span<std::uint8_t> flags);

// sums[i] = numbers[i] + addend
void add_to_all(Cpu&, std::span<const std::int32_t> numbers, std::int32_t addend, std::span<std::int32_t> sums);
void add_to_all(Cuda&, std::span<const std::int32_t> numbers, std::int32_t addend, std::span<std::int32_t> sums);

// chosen[i] = values[indices[i]]; T is float, double, std::uint8_t or std::int64_t.
template <class T>
void gather(Cpu&, std::span<const T> values, std::span<const std::int64_t> indices, std::span<T> chosen);
template <class T>
void gather(Cuda&, std::span<const T> values, std::span<const std::int64_t> indices, std::span<T> chosen);

// Returns values[indices[i]] for each i.
template <class T, class Context>
Buffer<T, Context> gathered(Context& context, const Buffer<T, Context>& values, std::span<const std::int64_t> indices) {
  Buffer<T, Context> chosen(context, static_cast<std::int64_t>(indices.size()));
  gather<T>(context, values, indices, chosen);
  return chosen;
}

// Chooses elements that are evenly spread over a list: chosen[i] = list[i * size / count], where count is the size of
// `chosen`, at most that of the list.
void evenly_spread(Cpu&, std::span<const std::int64_t> list, std::span<std::int64_t> chosen);
void evenly_spread(Cuda&, std::span<const std::int64_t> list, std::span<std::int64_t> chosen);

// Returns at most `most` elements of a list, evenly spread over it.
template <class Context>
Buffer<std::int64_t, Context> some_of(Context& context, const Buffer<std::int64_t, Context>& list, std::int64_t most) {
  Buffer<std::int64_t, Context> chosen(context, list.size() < most ? list.size() : most);
  evenly_spread(context, list, chosen);
  return chosen;
}

// The same of a list on the host.
inline std::vector<std::int64_t> some_of(std::span<const std::int64_t> list, std::int64_t most) {
  std::vector<std::int64_t> chosen(std::min(std::ssize(list), most));
  Cpu cpu(1);
  evenly_spread(cpu, list, chosen);
  return chosen;
}

// Copies numbers to 32 bits, which they must fit.
void narrow(Cpu&, std::span<const std::int64_t> numbers, std::span<std::int32_t> narrow);
void narrow(Cuda&, std::span<const std::int64_t> numbers, std::span<std::int32_t> narrow);

// Rounds values to single precision.
void narrow(Cpu&, std::span<const double> values, std::span<float> narrow);
void narrow(Cuda&, std::span<const double> values, std::span<float> narrow);

}  // namespace beatscan
