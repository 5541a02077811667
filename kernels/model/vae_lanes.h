// kernels/model/vae_lanes.h — the layers of the fused step on the CPU, forward and backward, for W beats in parallel.
//
// One Lanes<W> holds the same element of W beats and is one vector register. So every operation is a vector operation
// without shuffles, and a beat's result depends only on that beat. All functions are inlined into callers that are
// compiled for one kind of processor each (vae_group.cpp). The width does not change the bits.
#pragma once

#include <algorithm>

#include "kernels/runtime/exponential.h"
#include "kernels/runtime/vectors.h"

namespace beatscan::vae {

template <int W>
using Lanes = Floats<W>;

// The layers keep sums in registers. AVX-512 has 32 of them; narrower vectors have 16, and twice as many sums would be
// written to memory and read again at every step.
template <int W>
inline constexpr bool kManyRegisters = W == 16;

// Channels over time. Element t is at [t + 1], and a zero at both ends serves as the convolutions' padding.
template <int W, int Channels, int Length>
struct Signal {
  Lanes<W> at[Channels][Length + 2];
};

// y = conv1d(x); with transposed weights it is a convolution's input gradient, see below. It works in blocks of 4
// channels and 4 points, whose 16 sums in registers share 6 loads of x and 12 of the weights; with few registers in
// blocks of 2 channels. Without a bias it is nullptr.
template <int W, int In, int Out, int Length>
BEATSCAN_INLINE void convolve(const Signal<W, In, Length>& x, const float* weights, const float* bias,
                              Signal<W, Out, Length>& y) {
  constexpr int kOuts = std::min(Out, kManyRegisters<W> ? 4 : 2), kTimes = 4;
  for (int o = 0; o < Out; o += kOuts)
    for (int t = 0; t < Length; t += kTimes) {
      Lanes<W> sums[kOuts][kTimes];
#pragma GCC unroll 4
      for (int i = 0; i < kOuts; ++i)
#pragma GCC unroll 4
        for (int j = 0; j < kTimes; ++j) sums[i][j] = Lanes<W>{} + (bias ? bias[o + i] : 0.0f);
      for (int c = 0; c < In; ++c) {
        const Lanes<W>* v = &x.at[c][t];
        const float* w = weights + (o * In + c) * 3;
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k)
#pragma GCC unroll 4
          for (int i = 0; i < kOuts; ++i)
#pragma GCC unroll 4
            for (int j = 0; j < kTimes; ++j) sums[i][j] += w[i * In * 3 + k] * v[j + k];
      }
#pragma GCC unroll 4
      for (int i = 0; i < kOuts; ++i)
#pragma GCC unroll 4
        for (int j = 0; j < kTimes; ++j) y.at[o + i][t + j + 1] = sums[i][j];
    }
}

// Computes dx from dy, which is a convolution with the channels exchanged and time reversed.
template <int W, int In, int Out, int Length>
BEATSCAN_INLINE void input_gradient(const Signal<W, Out, Length>& dy, const float* weights, Signal<W, In, Length>& dx) {
  float transposed[In * Out * 3];
  for (int o = 0; o < Out; ++o)
    for (int c = 0; c < In; ++c)
      for (int k = 0; k < 3; ++k) transposed[(c * Out + o) * 3 + 2 - k] = weights[(o * In + c) * 3 + k];
  convolve<W, Out, In, Length>(dy, transposed, nullptr, dx);
}

// Adds the weights' and the bias's gradients to dw [Out][In][3] and db [Out]. It works in blocks of 4 by 2 channels,
// which have 24 sums in registers; with few registers in blocks of 2 by 2.
template <int W, int In, int Out, int Length>
BEATSCAN_INLINE void weight_gradient(const Signal<W, In, Length>& x, const Signal<W, Out, Length>& dy, Lanes<W>* dw,
                                     Lanes<W>* db) {
  constexpr int kOuts = std::min(Out, kManyRegisters<W> ? 4 : 2), kIns = std::min(In, 2);
  for (int o = 0; o < Out; o += kOuts)
    for (int c = 0; c < In; c += kIns) {
      Lanes<W> sums[kOuts][kIns][3] = {};
      for (int t = 0; t < Length; ++t)
#pragma GCC unroll 4
        for (int i = 0; i < kOuts; ++i) {
          const Lanes<W> g = dy.at[o + i][t + 1];
#pragma GCC unroll 2
          for (int j = 0; j < kIns; ++j)
#pragma GCC unroll 3
            for (int k = 0; k < 3; ++k) sums[i][j][k] += g * x.at[c + j][t + k];
        }
#pragma GCC unroll 4
      for (int i = 0; i < kOuts; ++i)
#pragma GCC unroll 2
        for (int j = 0; j < kIns; ++j)
#pragma GCC unroll 3
          for (int k = 0; k < 3; ++k) dw[((o + i) * In + c + j) * 3 + k] += sums[i][j][k];
    }
  for (int o = 0; o < Out; ++o) {
    Lanes<W> sum = {};
    for (int t = 0; t < Length; ++t) sum += dy.at[o][t + 1];
    db[o] += sum;
  }
}

// The derivative of swish, which is kept for the backward pass instead of computed again.
template <int W, int Channels, int Length>
struct Slopes {
  Lanes<W> at[Channels][Length];
};

// Applies swish in place: a becomes a sigmoid(alpha a).
template <int W, int Channels, int Length>
BEATSCAN_INLINE void swish(Signal<W, Channels, Length>& y, float alpha, Slopes<W, Channels, Length>& slopes) {
  for (int c = 0; c < Channels; ++c)
    for (int t = 0; t < Length; ++t) {
      const Lanes<W> a = y.at[c][t + 1];
      const Lanes<W> sigmoid = 1.0f / (1.0f + exponential<W>(-alpha * a));
      y.at[c][t + 1] = a * sigmoid;
      slopes.at[c][t] = sigmoid + alpha * a * sigmoid * (1.0f - sigmoid);
    }
}

// The same where nothing goes backward.
template <int W, int Channels, int Length>
BEATSCAN_INLINE void swish(Signal<W, Channels, Length>& y, float alpha) {
  for (int c = 0; c < Channels; ++c)
    for (int t = 0; t < Length; ++t) {
      const Lanes<W> a = y.at[c][t + 1];
      y.at[c][t + 1] = a * (1.0f / (1.0f + exponential<W>(-alpha * a)));
    }
}

// Replaces dy, the gradient of swish's output, by that of its input.
template <int W, int Channels, int Length>
BEATSCAN_INLINE void swish_gradient(Signal<W, Channels, Length>& dy, const Slopes<W, Channels, Length>& slopes) {
  for (int c = 0; c < Channels; ++c)
    for (int t = 0; t < Length; ++t) dy.at[c][t + 1] *= slopes.at[c][t];
}

// Convolves with [1 2 1] at stride 2.
template <int W, int Channels, int Length>
BEATSCAN_INLINE void blur(const Signal<W, Channels, Length>& x, Signal<W, Channels, Length / 2>& y) {
  for (int c = 0; c < Channels; ++c)
    for (int t = 0; t < Length / 2; ++t)
      y.at[c][t + 1] = x.at[c][2 * t] + 2.0f * x.at[c][2 * t + 1] + x.at[c][2 * t + 2];
}

template <int W, int Channels, int Length>
BEATSCAN_INLINE void blur_gradient(const Signal<W, Channels, Length / 2>& dy, Signal<W, Channels, Length>& dx) {
  for (int c = 0; c < Channels; ++c)
    for (int t = 0; t < Length / 2; ++t) {
      dx.at[c][2 * t + 1] = 2.0f * dy.at[c][t + 1];
      dx.at[c][2 * t + 2] = dy.at[c][t + 1] + dy.at[c][t + 2];
    }
}

template <int W, int Channels, int Length>
BEATSCAN_INLINE void upsample(const Signal<W, Channels, Length>& x, Signal<W, Channels, 2 * Length>& y) {
  for (int c = 0; c < Channels; ++c)
    for (int t = 0; t < Length; ++t) y.at[c][2 * t + 1] = y.at[c][2 * t + 2] = x.at[c][t + 1];
}

template <int W, int Channels, int Length>
BEATSCAN_INLINE void upsample_gradient(const Signal<W, Channels, 2 * Length>& dy, Signal<W, Channels, Length>& dx) {
  for (int c = 0; c < Channels; ++c)
    for (int t = 0; t < Length; ++t) dx.at[c][t + 1] = dy.at[c][2 * t + 1] + dy.at[c][2 * t + 2];
}

}  // namespace beatscan::vae
