// kernels/waves/net_quads.cuh — one layer's outputs for one thread: four neighbouring values of a block of channels,
// from inputs in shared memory, with the sums in registers.
#pragma once

#include "kernels/waves/net_layers.h"

namespace beatscan::waves {

// Copies Count floats that begin at `from + First`, in accesses as wide as the address allows. `from` is a multiple of
// Aligned floats.
template <int First, int Count, int Aligned>
__device__ __forceinline__ void load_range(const float* from, float* to) {
  if constexpr (Count >= 4 && First % 4 == 0 && Aligned >= 4) {
    const float4 four = *reinterpret_cast<const float4*>(from + First);
    to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
    load_range<First + 4, Count - 4, Aligned>(from, to + 4);
  } else if constexpr (Count >= 2 && First % 2 == 0 && Aligned >= 2) {
    const float2 two = *reinterpret_cast<const float2*>(from + First);
    to[0] = two.x, to[1] = two.y;
    load_range<First + 2, Count - 2, Aligned>(from, to + 2);
  } else if constexpr (Count >= 1) {
    *to = from[First];
    load_range<First + 1, Count - 1, Aligned>(from, to + 1);
  }
}

// The inputs of four outputs: `count` values from `from` on, both even so that two values are read at a time. The first
// input is `first` values after `from`.
struct QuadInputs {
  int from, count, first;
};
template <Filter filter>
BEATSCAN_HOST_DEVICE constexpr QuadInputs quad_inputs() {
  using Shape = ShapeOf<filter>;
  const int padding = (Shape::kTaps - 1) * Shape::kApart / 2, from = -(padding + 1) / 2 * 2;
  return {from, (3 * Shape::kStride + padding - from + 2) / 2 * 2, -padding - from};
}

// Adds a tap's products to the sums of a block's channels: x is the input of the first of four values.
template <int Block, int Stride>
__device__ __forceinline__ void add_products(const float* g, const float* x, float (&sums)[Block][4]) {
#pragma unroll
  for (int i = 0; i < Block; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) sums[i][j] = fmaf(g[i], x[Stride * j], sums[i][j]);
}

// Adds the products of a doubled channel, whose values from t / 2 - 1 on are x.
template <int Block>
__device__ __forceinline__ void add_doubled(const float* g, const float* x, float (&sums)[Block][4]) {
#pragma unroll
  for (int i = 0; i < Block; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float* at = x + (j + 1) / 2;
      const int even = 2 * (j % 2) * Block;  // factors of odd outputs lie after those of even ones
      sums[i][j] = fmaf(g[even + i], at[0], sums[i][j]);
      sums[i][j] = fmaf(g[even + Block + i], at[1], sums[i][j]);
    }
}

// Computes four values, from t on, of one block of channels, in some windows.
template <Filter filter, int Block, int Windows>
__device__ __forceinline__ void sum_quads(const NetLayer& layer, const float* factors, const float* doubled,
                                          const float* input, int window_stride, int t,
                                          float (&sums)[Windows][Block][4]) {
  using Shape = ShapeOf<filter>;
  constexpr QuadInputs kQuad = quad_inputs<filter>();
  factors += in_fours(Block);
  if constexpr (filter == Filter::three) {
    const float* x = doubled + kPad + t / 2;
#pragma unroll 1
    for (int c = 0; c < layer.doubled; ++c, x += with_pads(layer.length / 2)) {
      float g[kTermsOfDoubled * Block];
      load_range<0, kTermsOfDoubled * Block, 4>(factors, g);
#pragma unroll
      for (int w = 0; w < Windows; ++w) {
        float inputs[4];
        load_range<-1, 4, 2>(x + w * window_stride, inputs);
        add_doubled<Block>(g, inputs, sums[w]);
      }
      factors += kTermsOfDoubled * Block;
    }
  }
  const float* x = input + kPad + Shape::kStride * t;
#pragma unroll 1
  for (int c = 0; c < layer.inputs; ++c, x += with_pads(layer.length * Shape::kStride)) {
    float g[in_fours(Shape::kTaps * Block)];
    load_range<0, in_fours(Shape::kTaps * Block), 4>(factors, g);
#pragma unroll
    for (int w = 0; w < Windows; ++w) {
      float inputs[kQuad.count];
      load_range<kQuad.from, kQuad.count, 4>(x + w * window_stride, inputs);
#pragma unroll
      for (int q = 0; q < Shape::kTaps; ++q)
        add_products<Block, Shape::kStride>(g + q * Block, inputs + kQuad.first + q * Shape::kApart, sums[w]);
    }
    factors += in_fours(Shape::kTaps * Block);
  }
}

__device__ __forceinline__ float4 with_bias(const float (&sums)[4], float bias) {
  return {sums[0] + bias, sums[1] + bias, sums[2] + bias, sums[3] + bias};
}

__device__ __forceinline__ float4 relu(float4 y) {
  return {fmaxf(y.x, 0.0f), fmaxf(y.y, 0.0f), fmaxf(y.z, 0.0f), fmaxf(y.w, 0.0f)};
}

// Writes four values of a channel, and the zeros next to it.
__device__ __forceinline__ void write_quad(float* row, int t, int length, float4 y) {
  *reinterpret_cast<float4*>(row + kPad + t) = y;
  if (t == 0) *reinterpret_cast<float4*>(row) = {};
  if (t + 4 == length) *reinterpret_cast<float4*>(row + kPad + length) = {};
}

}  // namespace beatscan::waves
