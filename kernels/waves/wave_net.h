// kernels/waves/wave_net.h — the net that finds P, QRS and T waves in a window.
//
// Input, two channels of 320 values: asinh(10 window / height) / 3, and the sum of max(0, 1 - |k - mark| / 4) over the
// three marks. Layers (a ^ means every value twice, + further channels; s stride, d dilation):
//   stem 2 -> a, 9 s2 | e1 a -> a, 5 | d2 a -> b, 5 s2 | e2 b -> b, 5 | d3 b -> c, 5 s2 | e3 c -> c, 5
//   d4 c -> d, 5 s2 | m1 d -> d, 5 | m2 d -> d, 5 d2 | u3 m2^ + e3 -> c, 3 | u2 u3^ + e2 -> b, 3 | u1 u2^ + e1 -> a, 3
//   out a -> 6, 3
// Each is a correlation with zero padding, a bias, and ReLU except in the last one. Value 2 j + h of mask m is the
// sigmoid of value j of the last layer's channel 2 m + h. The arithmetic is float32 (net_layers.h). Masks differ from
// those of float64 arithmetic, and between the back ends, by at most kMaskError.
#pragma once

#include <array>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/waves/window.h"

namespace beatscan::waves {

inline constexpr float kMaskError = 5e-6f;
inline constexpr int kMostChannels = 24;  // of a layer

// A trained net, as models/waves.json has it.
struct NetModel {
  std::array<int, 4> channels{};  // a, b, c, d: 1 .. kMostChannels; 6, 8, 10, 12 as shipped
  std::vector<float> weights;     // layer after layer: w [out][in][kernel], then the biases [out]
};

// Returns the number of weights of a net with these channels, its biases counted.
std::int64_t number_of_weights(const std::array<int, 4>& channels);

// A net in the context's memory, in the order in which the kernels read it.
template <class Context>
struct Net {
  std::array<int, 4> channels{};
  Buffer<float, Context> packed;
};
Net<Cpu> load_net(Cpu&, const NetModel& model);
Net<Cuda> load_net(Cuda&, const NetModel& model);

// Computes the masks of windows. Those of a window whose height is kMinHeight are 0: the lead is flat or missing there,
// and the net would find waves by the marks alone.
//   windows  [B][320] mV, minus their medians: single beats, or local averages
//   heights  [B] positive, mV: those of the local averages, for single beats, too
//   marks    [B]
//   masks    [B][3][320] P, QRS, T; 0 .. 1
void wave_masks(Cpu&, const Net<Cpu>& net, std::span<const float> windows, std::span<const float> heights,
                std::span<const Marks> marks, std::span<float> masks);
void wave_masks(Cuda&, const Net<Cuda>& net, std::span<const float> windows, std::span<const float> heights,
                std::span<const Marks> marks, std::span<float> masks);

}  // namespace beatscan::waves
