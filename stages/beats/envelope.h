// stages/beats/envelope.h — |signal in a band|, smoothed: what beats are peaks of. As a whole where there is room for
// it, else in windows that overlap, with the same bits.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/signal/convolve.h"

namespace beatscan {

struct EnvelopeFilters {
  std::vector<double> band, smooth;  // taps, both odd and symmetric
};

// Of the wanted stretch.
template <class Context>
Buffer<float, Context> envelope_part(Context&, std::span<const float> signal, const EnvelopeFilters& filters,
                                     Stretch wanted);

struct WindowLayout {
  std::int64_t samples;        // of the recording
  std::int64_t block, blocks;  // samples of a block of the local level, the last of which takes up the rest
  std::int64_t window_blocks;  // of every window but the last; a multiple of 32, so that windows begin with a word
  std::int64_t margin;         // samples that a window has beyond its own on either side; a multiple of 32

  std::int64_t windows() const { return (blocks + window_blocks - 1) / window_blocks; }
  Stretch blocks_of(std::int64_t window) const;
  Stretch own(std::int64_t window) const;   // samples that the window answers for
  Stretch held(std::int64_t window) const;  // and those that it has
};
// Windows of at most so many samples, but 32 blocks at least.
WindowLayout window_layout(std::int64_t samples, std::int64_t block, std::int64_t blocks, std::int64_t margin,
                           std::int64_t most_samples);

// The windows of an envelope; the last one asked for is kept.
template <class Context>
class EnvelopeWindows {
 public:
  EnvelopeWindows(Context& context, std::span<const float> signal, EnvelopeFilters filters, const WindowLayout& layout)
      : context_(context), signal_(signal), filters_(std::move(filters)), layout_(layout) {}

  const WindowLayout& layout() const { return layout_; }
  // The window's held() samples.
  SignalPart held(std::int64_t window);
  // Its own() alone.
  std::span<const float> own(std::int64_t window);
  // All of it, where there is one window.
  Buffer<float, Context> take() { return std::move(values_); }

 private:
  Context& context_;
  std::span<const float> signal_;
  EnvelopeFilters filters_;
  WindowLayout layout_;
  std::int64_t window_ = -1;  // that values_ are of
  Buffer<float, Context> values_;
};

// Samples of a window for which the context has room.
template <class Context>
std::int64_t roomy_window_samples(const Context& context);

}  // namespace beatscan
