// kernels/runtime/loaded.h — arrays of the host in a context's memory and the other way round, not copied on the CPU.
#pragma once

#include <iterator>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/runtime/buffer.h"

namespace beatscan {

// A host array in the context's memory: on the CPU the array itself, which must be kept, and on Cuda a copy.
template <class T, class Context>
class Loaded {
 public:
  Loaded(Context& context, std::span<const T> host) {
    if constexpr (std::is_same_v<Context, Cpu>) {
      span_ = host;
    } else {
      copy_ = Buffer<T, Context>(context, std::ssize(host));
      copy(context, host, copy_.span());
      span_ = copy_.span();
    }
  }
  std::span<const T> span() const { return span_; }
  operator std::span<const T>() const { return span_; }

 private:
  Buffer<T, Context> copy_;
  std::span<const T> span_;
};

// An array of the context's memory on the host: on the CPU the array itself, which must be kept, and from Cuda a copy.
template <class T, class Context>
class OnHost {
 public:
  OnHost(Context& context, std::span<const T> array) {
    if constexpr (std::is_same_v<Context, Cpu>) {
      span_ = array;
    } else {
      copy_ = to_host(context, array);
      span_ = copy_;
    }
  }
  std::span<const T> span() const { return span_; }
  operator std::span<const T>() const { return span_; }

 private:
  std::vector<T> copy_;
  std::span<const T> span_;
};

}  // namespace beatscan
