// stages/io/csv/sample_collector.h — collects the samples of a lead, which come chunk by chunk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "kernels/runtime/buffer.h"

namespace beatscan {

// Collects samples whose number is known only at the end. The bytes that are still to come determine the memory to
// reserve.
template <class Context>
class SampleCollector {
 public:
  explicit SampleCollector(Context& context) : context_(context) {}

  // Returns memory for `rows` more samples. `share` is the part of the file's bytes that ends with them.
  std::span<float> extend(std::int64_t rows, double share) {
    if (size_ + rows > samples_.size()) {
      const double expected = static_cast<double>(size_ + rows) / std::max(share, 1e-9) * 1.01;
      move_to(std::max(size_ + rows, static_cast<std::int64_t>(expected)));
    }
    size_ += rows;
    return samples_.span().subspan(static_cast<std::size_t>(size_ - rows), static_cast<std::size_t>(rows));
  }
  std::int64_t size() const { return size_; }
  Buffer<float, Context> take() {
    if (samples_.size() > size_ + size_ / 8) move_to(size_);
    samples_.truncate(size_);  // the typical excess of 1 % is not worth a copy
    return std::move(samples_);
  }

 private:
  void move_to(std::int64_t capacity) {
    Buffer<float, Context> larger(context_, capacity);
    copy<float>(context_, samples_.span().first(static_cast<std::size_t>(size_)),
                larger.span().first(static_cast<std::size_t>(size_)));
    samples_ = std::move(larger);
  }
  Context& context_;
  Buffer<float, Context> samples_;
  std::int64_t size_ = 0;
};

}  // namespace beatscan
