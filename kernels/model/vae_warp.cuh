// kernels/model/vae_warp.cuh — the layers of the fused step on the GPU: one warp works on one beat.
//
// Lane l holds points l N .. l N + N - 1 of each channel of a signal of 32 N points, in registers or in shared memory.
// Loops over output channels stay rolled: fully unrolled, the step is 220 KB of instructions and waits to fetch them.
#pragma once

#include <cstdint>

#include "kernels/model/vae_layout.h"

namespace beatscan::vae {

inline constexpr unsigned kAllLanes = 0xffffffffu;

__device__ inline int lane_id() { return static_cast<int>(threadIdx.x % 32); }

// --- neighbours in time: the last point of the lane before and the first of the lane after; 0 beyond the ends
__device__ inline float from_left(float last) {
  const float value = __shfl_up_sync(kAllLanes, last, 1);
  return lane_id() > 0 ? value : 0.0f;
}
__device__ inline float from_right(float first) {
  const float value = __shfl_down_sync(kAllLanes, first, 1);
  return lane_id() < 31 ? value : 0.0f;
}

// The points of some channels with their neighbours, at(c, -1) .. at(c, N).
template <int Channels, int N>
struct Points {
  float value[Channels][N], left[Channels], right[Channels];
  __device__ void exchange() {
#pragma unroll
    for (int c = 0; c < Channels; ++c) {
      left[c] = from_left(value[c][N - 1]);
      right[c] = from_right(value[c][0]);
    }
  }
  __device__ float at(int c, int t) const { return t < 0 ? left[c] : t >= N ? right[c] : value[c][t]; }
};

// --- a channel in shared memory: vectors of up to four points a lane, lane by lane, so that no two lanes meet in a
// bank
template <int N>
__device__ void store_points(float* channel, const float (&v)[N]) {
  const int lane = lane_id();
  if constexpr (N == 8) {
    reinterpret_cast<float4*>(channel)[lane] = make_float4(v[0], v[1], v[2], v[3]);
    reinterpret_cast<float4*>(channel)[32 + lane] = make_float4(v[4], v[5], v[6], v[7]);
  } else if constexpr (N == 4) {
    reinterpret_cast<float4*>(channel)[lane] = make_float4(v[0], v[1], v[2], v[3]);
  } else if constexpr (N == 2) {
    reinterpret_cast<float2*>(channel)[lane] = make_float2(v[0], v[1]);
  } else {
    channel[lane] = v[0];
  }
}

template <int N>
__device__ void load_points(const float* channel, float (&v)[N]) {
  const int lane = lane_id();
  if constexpr (N == 8) {
    const float4 a = reinterpret_cast<const float4*>(channel)[lane];
    const float4 b = reinterpret_cast<const float4*>(channel)[32 + lane];
    v[0] = a.x, v[1] = a.y, v[2] = a.z, v[3] = a.w, v[4] = b.x, v[5] = b.y, v[6] = b.z, v[7] = b.w;
  } else if constexpr (N == 4) {
    const float4 a = reinterpret_cast<const float4*>(channel)[lane];
    v[0] = a.x, v[1] = a.y, v[2] = a.z, v[3] = a.w;
  } else if constexpr (N == 2) {
    const float2 a = reinterpret_cast<const float2*>(channel)[lane];
    v[0] = a.x, v[1] = a.y;
  } else {
    v[0] = channel[lane];
  }
}

// --- sums over the lanes
template <int Half>
__device__ void fold(float (&v)[32]) {
  const bool upper = lane_id() & Half;
#pragma unroll
  for (int i = 0; i < Half; ++i) {
    const float keep = upper ? v[i + Half] : v[i], give = upper ? v[i] : v[i + Half];
    v[i] = keep + __shfl_xor_sync(kAllLanes, give, Half);
  }
}

// Computes 32 sums over 32 lanes at once: lane i gets the sum of v[i]. A halving loop would not be unrolled, and v
// would then live in local memory.
__device__ inline float sums_over_lanes(float (&v)[32]) {
  fold<16>(v);
  fold<8>(v);
  fold<4>(v);
  fold<2>(v);
  fold<1>(v);
  return v[0];
}

__device__ inline float sum_over_lanes(float value) {
#pragma unroll
  for (int half = 16; half > 0; half /= 2) value += __shfl_xor_sync(kAllLanes, value, half);
  return value;
}

// --- swish
// The bare instructions are exact to 2 and 1 units in the last place. __expf and __fdividef add six more instructions
// for denormal numbers, which are negligible compared with 1.
__device__ inline float exp2_approximate(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline float reciprocal_approximate(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// Replaces a by swish(a), and writes the derivative, which the backward pass needs, to `slope`.
template <int N>
__device__ void swish(float (&a)[N], float (&slope)[N], float alpha) {
  const float exponent = -1.44269504f * alpha;
#pragma unroll
  for (int t = 0; t < N; ++t) {
    const float sigmoid = reciprocal_approximate(1.0f + exp2_approximate(exponent * a[t])), y = a[t] * sigmoid;
    slope[t] = fmaf(alpha * y, 1.0f - sigmoid, sigmoid);
    a[t] = y;
  }
}

// --- [1 2 1] with stride 2
// Convolves y. `left` is the point before y[0].
template <int N>
__device__ void blur(const float (&y)[N], float left, float (&half)[N / 2]) {
#pragma unroll
  for (int t = 0; t < N / 2; ++t) half[t] = (t > 0 ? y[2 * t - 1] : left) + 2.0f * y[2 * t] + y[2 * t + 1];
}

// Computes the gradient of y from that of `half`. `right` is the point after half[N / 2 - 1].
template <int N>
__device__ void blur_gradient(const float (&half)[N / 2], float right, float (&y)[N]) {
#pragma unroll
  for (int t = 0; t < N / 2; ++t) {
    y[2 * t] = 2.0f * half[t];
    y[2 * t + 1] = half[t] + (t + 1 < N / 2 ? half[t + 1 < N / 2 ? t + 1 : 0] : right);
  }
}

// --- convolution
// Computes this lane's part of one output channel's gradient: In * 3 weights, then the bias.
template <int In, int N>
__device__ void weight_gradient(const Points<In, N>& x, const float (&dy)[N], float* sums) {
#pragma unroll
  for (int c = 0; c < In; ++c)
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      float sum = 0;
#pragma unroll
      for (int t = 0; t < N; ++t) sum = fmaf(dy[t], x.at(c, t + k - 1), sum);
      sums[c * 3 + k] = sum;
    }
  float sum = 0;
#pragma unroll
  for (int t = 0; t < N; ++t) sum += dy[t];
  sums[In * 3] = sum;
}

// --- upsampling and convolution in one
// x[t] becomes two points. The first is w0 x[t-1] + (w1 + w2) x[t] and the second is (w0 + w1) x[t] +
// w2 x[t+1]. A float4 holds those four factors.
//   weights  [Out][In]
template <int In, int Out, int N>
__device__ void upsample_convolve(const Points<In, N>& x, const float4* weights, const float* bias,
                                  float (&y)[Out][2 * N]) {
#pragma unroll
  for (int o = 0; o < Out; ++o) {
#pragma unroll
    for (int t = 0; t < 2 * N; ++t) y[o][t] = bias[o];
#pragma unroll
    for (int c = 0; c < In; ++c) {
      const float4 w = weights[o * In + c];
#pragma unroll
      for (int t = 0; t < N; ++t) {
        y[o][2 * t] = fmaf(w.x, x.at(c, t - 1), fmaf(w.y, x.value[c][t], y[o][2 * t]));
        y[o][2 * t + 1] = fmaf(w.z, x.value[c][t], fmaf(w.w, x.at(c, t + 1), y[o][2 * t + 1]));
      }
    }
  }
}

// Adds one output channel's part of the input's gradient to dx.
//   weights  [In]
template <int In, int N>
__device__ void add_upsampled_input_gradient(const float (&dy)[2 * N], const float4* weights, float (&dx)[In][N]) {
  const float left = from_left(dy[2 * N - 1]), right = from_right(dy[0]);
#pragma unroll
  for (int c = 0; c < In; ++c) {
    const float4 w = weights[c];
#pragma unroll
    for (int t = 0; t < N; ++t) {
      const float before = t > 0 ? dy[t > 0 ? 2 * t - 1 : 0] : left;
      const float behind = t + 1 < N ? dy[t + 1 < N ? 2 * t + 2 : 0] : right;
      dx[c][t] = fmaf(w.y, dy[2 * t], fmaf(w.z, dy[2 * t + 1], fmaf(w.x, behind, fmaf(w.w, before, dx[c][t]))));
    }
  }
}

template <int In, int N>
__device__ void upsampled_weight_gradient(const Points<In, N>& x, const float (&dy)[2 * N], float* sums) {
  sums[In * 3] = 0;
#pragma unroll
  for (int i = 0; i < In * 3; ++i) sums[i] = 0;
#pragma unroll
  for (int t = 0; t < N; ++t) {
    const float first = dy[2 * t], second = dy[2 * t + 1];
    sums[In * 3] += first + second;
#pragma unroll
    for (int c = 0; c < In; ++c) {
      sums[c * 3] = fmaf(first, x.at(c, t - 1), fmaf(second, x.value[c][t], sums[c * 3]));
      sums[c * 3 + 1] = fmaf(first + second, x.value[c][t], sums[c * 3 + 1]);
      sums[c * 3 + 2] = fmaf(first, x.value[c][t], fmaf(second, x.at(c, t + 1), sums[c * 3 + 2]));
    }
  }
}

}  // namespace beatscan::vae
