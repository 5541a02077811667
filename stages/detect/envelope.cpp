#include "stages/detect/envelope.h"

#include <algorithm>

#include "kernels/signal/convolve.h"

namespace beatscan {

Stretch WindowLayout::blocks_of(std::int64_t window) const {
  return {window * window_blocks, std::min((window + 1) * window_blocks, blocks)};
}

Stretch WindowLayout::own(std::int64_t window) const {
  const Stretch its = blocks_of(window);
  return {its.first * block, its.last == blocks ? samples : its.last * block};
}

Stretch WindowLayout::held(std::int64_t window) const {
  const Stretch its = own(window);
  return {std::max<std::int64_t>(its.first - margin, 0), std::min(its.last + margin, samples)};
}

WindowLayout window_layout(std::int64_t samples, std::int64_t block, std::int64_t blocks, std::int64_t margin,
                           std::int64_t most_samples) {
  constexpr std::int64_t kWord = 32;
  const auto words = [](std::int64_t n) { return (n + kWord - 1) / kWord; };
  const std::int64_t window_blocks = std::max<std::int64_t>(std::min(most_samples / block / kWord, words(blocks)), 1);
  return {samples, block, blocks, window_blocks * kWord, words(margin) * kWord};
}

template <class Context>
Buffer<float, Context> envelope_part(Context& context, std::span<const float> signal, const EnvelopeFilters& filters,
                                     Stretch wanted) {
  const auto centre = [](const std::vector<double>& taps) { return static_cast<int>(taps.size() / 2); };
  const ConvolveOptions band{.lead = centre(filters.band), .beyond = Beyond::last_value, .rectify = true},
      smooth{.lead = centre(filters.smooth), .beyond = Beyond::zeros};
  const auto n = std::ssize(signal);
  const Stretch reads = convolve_reads(n, std::ssize(filters.smooth), smooth, wanted);
  const auto rectified = convolve(context, whole(signal), filters.band, band, reads);
  return convolve(context, {rectified, reads.first, n}, filters.smooth, smooth, wanted);
}

template <class Context>
SignalPart EnvelopeWindows<Context>::held(std::int64_t window) {
  const Stretch its = layout_.held(window);
  if (window_ != window) {
    values_ = {};  // frees the last window first: memory may not suffice for two
    values_ = make_(its);
    window_ = window;
  }
  return {values_, its.first, layout_.samples};
}

template <class Context>
std::span<const float> EnvelopeWindows<Context>::own(std::int64_t window) {
  const SignalPart part = held(window);
  const Stretch its = layout_.own(window);
  return part.values.subspan(static_cast<std::size_t>(its.first - part.first), static_cast<std::size_t>(its.size()));
}

template <class Context>
std::int64_t roomy_window_samples(const Context& context) {
  constexpr std::int64_t kLeast_samples = 1 << 22;           // fewer would not keep a device busy
  constexpr std::int64_t kBytesASample = 5 * sizeof(float);  // for two sums, two envelopes and a rectified band
  return std::max(context.room_bytes() / 10 * 9 / kBytesASample, kLeast_samples);
}

#define BEATSCAN_ENVELOPE(Context)                                                                                  \
  template Buffer<float, Context> envelope_part(Context&, std::span<const float>, const EnvelopeFilters&, Stretch); \
  template class EnvelopeWindows<Context>;                                                                          \
  template std::int64_t roomy_window_samples(const Context&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_ENVELOPE)

}  // namespace beatscan
