// kernels/runtime/buffer.h — memory that is owned by a scope and belongs to a context.
//
// Buffer<T, Cpu> is host memory, and Buffer<T, Cuda> is device memory from the context's pool. Elements are not
// initialised. A buffer must not outlive its context, unless its memory is borrowed or was handed over. Freed device
// memory is used again in stream order, so a buffer may go out of scope while work that reads it is still queued.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/runtime/context.h"

namespace beatscan {

template <class T, class Context>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(Context& context, std::int64_t size)
      : context_(&context), data_(static_cast<T*>(context.allocate(bytes_of(size)))), size_(size), room_(size) {}
  // Makes a buffer of memory that it does not own and does not free. The owner must keep the memory longer.
  static Buffer borrowed(std::span<T> memory) {
    Buffer buffer;
    buffer.data_ = memory.data();
    buffer.size_ = buffer.room_ = std::ssize(memory);
    return buffer;
  }
  ~Buffer() { release(); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }

  // Returns the memory, which must not be borrowed, and leaves the buffer empty. The caller frees the memory the way
  // the context would.
  T* hand_over() {
    std::exchange(context_, nullptr)->hand_over(bytes_of(room_));
    size_ = room_ = 0;
    return std::exchange(data_, nullptr);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Drops the elements from `size` on. Their memory is freed with the rest of the buffer.
  void truncate(std::int64_t size) { size_ = size < size_ ? size : size_; }
  std::span<T> span() { return {data_, static_cast<std::size_t>(size_)}; }
  std::span<const T> span() const { return {data_, static_cast<std::size_t>(size_)}; }
  operator std::span<T>() { return span(); }
  operator std::span<const T>() const { return span(); }

 private:
  static std::size_t bytes_of(std::int64_t size) { return static_cast<std::size_t>(size) * sizeof(T); }
  void release() noexcept {
    if (context_) context_->deallocate(data_, bytes_of(room_));
  }
  void swap(Buffer& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }

  Context* context_ = nullptr;  // frees the memory; nullptr if the memory is borrowed
  T* data_ = nullptr;
  std::int64_t size_ = 0, room_ = 0;
};

// Copies between any two places that the context can reach: the host's memory, and for Cuda the device's, too. On Cuda
// the copy is queued, but one to host memory that is not page-locked is done when the call returns. A page-locked
// `source` must stay unchanged until the copy is done; other host memory may be changed when the call returns.
void copy_bytes(Cpu&, const void* source, void* target, std::size_t bytes);
void copy_bytes(Cuda&, const void* source, void* target, std::size_t bytes);

// Sets bytes of the context's memory to zero. On Cuda the work is queued.
void zero_bytes(Cpu&, void* target, std::size_t bytes);
void zero_bytes(Cuda&, void* target, std::size_t bytes);

template <class T, class Context>
void copy(Context& context, std::span<const T> source, std::span<T> target) {
  copy_bytes(context, source.data(), target.data(), source.size_bytes());
}

// Copies the context's memory to a host vector. Waits for the work that was queued before.
template <class T, class Context>
std::vector<std::remove_const_t<T>> to_host(Context& context, std::span<T> source) {
  std::vector<std::remove_const_t<T>> host(source.size());
  copy_bytes(context, source.data(), host.data(), source.size_bytes());
  context.synchronize();
  return host;
}

template <class T, class Context>
std::vector<T> to_host(Context& context, const Buffer<T, Context>& source) {
  return to_host(context, source.span());
}

// Copies several buffers to the host while the device continues with work that is queued after the copies. From a
// device the copies go through page-locked memory, at the bus's speed. Until get() returns, nothing else may use the
// context's staging(), and the sources must stay unchanged.
template <class Context, class... T>
class Fetch {
 public:
  Fetch(Context& context, const Buffer<T, Context>&... sources) : context_(context), arrays_(sources.span()...) {
    if constexpr (!std::is_same_v<Context, Cpu>) {
      char* next = context.staging((room(sources.size() * sizeof(T)) + ... + 0)).data();
      const auto stage = [&](auto& array) {
        using Array = std::remove_reference_t<decltype(array)>;
        copy_bytes(context, array.data(), next, array.size_bytes());
        array = Array(reinterpret_cast<typename Array::pointer>(next), array.size());
        next += room(array.size_bytes());
      };
      std::apply([&](auto&... arrays) { (stage(arrays), ...); }, arrays_);
      context.mark();
    }
  }
  // Waits for the copies, but not for work that was queued after them, and returns what they brought.
  std::tuple<std::vector<T>...> get() {
    context_.wait_for_mark();
    return std::apply([](const auto&... arrays) { return std::tuple(std::vector<T>(arrays.begin(), arrays.end())...); },
                      arrays_);
  }

 private:
  static constexpr std::size_t room(std::size_t bytes) { return (bytes + 63) / 64 * 64; }
  Context& context_;
  std::tuple<std::span<const T>...> arrays_;
};

// Copies several buffers to the host with one wait for all of them.
template <class Context, class... T>
std::tuple<std::vector<T>...> to_hosts(Context& context, const Buffer<T, Context>&... sources) {
  return Fetch<Context, T...>(context, sources...).get();
}

// Copies a host array to a buffer of the context. The source may be changed at once.
template <class Context, class T>
Buffer<T, Context> from_host(Context& context, const std::vector<T>& source) {
  Buffer<T, Context> buffer(context, static_cast<std::int64_t>(source.size()));
  copy_bytes(context, source.data(), buffer.data(), source.size() * sizeof(T));
  return buffer;
}

}  // namespace beatscan
