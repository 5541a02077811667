// kernels/model/vae_forward.cuh — encoder and decoder on the GPU, for training and scoring: one warp works on one beat.
#pragma once

#include "kernels/model/vae_matrix.cuh"

namespace beatscan::vae {

// The parameters in shared memory, and those of the decoder in the form that upsample_convolve takes.
struct alignas(16) Weights {
  float at[(kParameters + 3) / 4 * 4];
  float4 conv3[4 * 8], conv4[2 * 4], conv5[2];

  // Loads the parameters. All kThreads threads of the block call it, and must meet before the weights are read.
  template <int kThreads>
  __device__ void load(const float* parameters) {
#pragma unroll
    for (int first = 0; first < kParameters; first += kThreads) {
      const int i = first + static_cast<int>(threadIdx.x);
      if (i < kParameters) at[i] = __ldcg(parameters + i);
    }
    fold_taps(parameters + kConv3.weight, 4 * 8, conv3);
    fold_taps(parameters + kConv4.weight, 2 * 4, conv4);
    fold_taps(parameters + kConv5.weight, 2, conv5);
  }

 private:
  __device__ static void fold_taps(const float* weights, int count, float4* folded) {
    const int i = static_cast<int>(threadIdx.x);
    if (i >= count) return;
    const float w0 = __ldcg(weights + 3 * i), w1 = __ldcg(weights + 3 * i + 1), w2 = __ldcg(weights + 3 * i + 2);
    folded[i] = make_float4(w0, w1 + w2, w0 + w1, w2);
  }
};

// The blurred outputs of the encoder's first two layers, for one beat.
struct alignas(16) Halves {
  float4 half0[4 * 32], half1[8 * 16];  // quads (vae_mma.cuh)
};
// The derivatives of the encoder's swishes for one beat, which training keeps.
struct alignas(16) Slopes {
  float slope0[4 * 256];
  // The backward pass replaces these by the gradients before the swishes.
  float4 slope1[8 * 32];  // like dy1
  float4 slope2[8 * 32];  // quad i of a lane at [i][lane]
};

struct Latents {
  float mu[kLatents], logvar[kLatents];
};

// The encoder's results in registers. Averaged over time, a head's convolution is a weighted sum of each channel's
// total, minus the point that an outer tap misses at an end.
struct Encoded {
  float taps[2][3];  // in lane (r, q) those of channels r and r + 8
  Latents latents;
};

// Lane column q works for head q. The heads are mu 0, mu 1, logvar 0 and logvar 1.
__device__ inline int head_weight(int channel) {
  const int q = lane_column();
  return (q < 2 ? kMuHead.weight : kLogvarHead.weight) + ((q % 2) * 16 + channel) * 3;
}
__device__ inline int head_bias() {
  const int q = lane_column();
  return (q < 2 ? kMuHead.bias : kLogvarHead.bias) + q % 2;
}

__device__ inline float from_left_in_row(float last) {
  const float value = __shfl_up_sync(kAllLanes, last, 1);
  return lane_column() > 0 ? value : 0.0f;
}

__device__ inline float sum_over_columns(float value) {
  value += __shfl_xor_sync(kAllLanes, value, 1);
  return value + __shfl_xor_sync(kAllLanes, value, 2);
}

__device__ inline void encode0(const Points<1, 8>& x, const float* w, Halves& halves, float* slopes) {
#pragma unroll 2
  for (int o = 0; o < 4; ++o) {
    const float* taps = w + kConv0.weight + o * 3;
    float y[8], slope[8], half[4];
#pragma unroll
    for (int t = 0; t < 8; ++t)
      y[t] =
          fmaf(taps[0], x.at(0, t - 1), fmaf(taps[1], x.at(0, t), fmaf(taps[2], x.at(0, t + 1), w[kConv0.bias + o])));
    swish(y, slope, w[kAlpha]);
    if (slopes) store_points(slopes + o * 256, slope);
    blur(y, from_left(y[7]), half);
    halves.half0[quad_of_half0(o, lane_id())] = quad_at(half, 0);
  }
}

__device__ inline void encode1(const float* w, Halves& halves, float4* slopes) {
  const int r = lane_row(), q = lane_column();
  float y[32], slope[32], half[16];
  convolve1(halves.half0, w + kConv1.weight, w + kConv1.bias, y);
  swish(y, slope, w[kAlpha]);
  if (slopes)
#pragma unroll
    for (int i = 0; i < 8; ++i) slopes[quad_of_dy1(r, 8 * q + i)] = quad_at(slope, 4 * i);
  blur(y, from_left_in_row(y[31]), half);
#pragma unroll
  for (int i = 0; i < 4; ++i) halves.half1[quad_of_half1(r, 4 * q + i)] = quad_at(half, 4 * i);
}

__device__ inline Encoded encode2(const float* w, const Halves& halves, float4* slopes) {
  const int lane = lane_id();
  Encoded encoded;
  float y[2][16], head = 0;
  convolve2(halves.half1, w + kConv2.weight, w + kConv2.bias, y);
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    float slope[16], half[8], total = 0;
    swish(y[i], slope, w[kAlpha]);
    if (slopes)
#pragma unroll
      for (int j = 0; j < 4; ++j) slopes[(4 * i + j) * 32 + lane] = quad_at(slope, 4 * j);
    blur(y[i], from_left_in_row(y[i][15]), half);
#pragma unroll
    for (int t = 0; t < 8; ++t) total += half[t];
    total = sum_over_columns(total);
    encoded.taps[i][0] = total - __shfl_sync(kAllLanes, half[7], lane | 3);
    encoded.taps[i][1] = total;
    encoded.taps[i][2] = total - __shfl_sync(kAllLanes, half[0], lane & ~3);
    const float* weights = w + head_weight(lane_row() + 8 * i);
#pragma unroll
    for (int k = 0; k < 3; ++k) head = fmaf(encoded.taps[i][k], weights[k], head);
  }
#pragma unroll
  for (int rows = 4; rows < 32; rows *= 2) head += __shfl_xor_sync(kAllLanes, head, rows);
  head = fmaf(head, 1.0f / kRestoredPoints, w[head_bias()]);
#pragma unroll
  for (int j = 0; j < kLatents; ++j) {
    encoded.latents.mu[j] = __shfl_sync(kAllLanes, head, j);
    encoded.latents.logvar[j] = __shfl_sync(kAllLanes, head, kLatents + j);
  }
  return encoded;
}

// Encodes a beat. `slopes` is nullptr unless kTraining.
template <bool kTraining>
__device__ Encoded encode(const Points<1, 8>& x, const float* w, Halves& halves, Slopes* slopes) {
  encode0(x, w, halves, kTraining ? slopes->slope0 : nullptr);
  __syncwarp();
  encode1(w, halves, kTraining ? slopes->slope1 : nullptr);
  __syncwarp();
  return encode2(w, halves, kTraining ? slopes->slope2 : nullptr);
}

__device__ inline float divergence(const Latents& latents) {
  float sum = 0;
#pragma unroll
  for (int j = 0; j < kLatents; ++j)
    sum += 1.0f + latents.logvar[j] - latents.mu[j] * latents.mu[j] - __expf(latents.logvar[j]);
  return -0.5f * sum;
}

// The decoder's activations, all in registers.
struct Decoder {
  Points<8, 1> restored;
  Points<4, 2> y3;
  Points<2, 4> y4;
  float slope3[4][2], slope4[2][4];
  float decoded[8];

  __device__ void run(const float (&z)[kLatents], const Weights& weights) {
    const float* w = weights.at;
#pragma unroll
    for (int c = 0; c < kRestored; ++c) {
      const int r = c * kRestoredPoints + lane_id();
      const float2 factors = *reinterpret_cast<const float2*>(w + kRestoreWeight + 2 * r);
      restored.value[c][0] = fmaf(factors.x, z[0], fmaf(factors.y, z[1], w[kRestoreBias + r]));
    }
    restored.exchange();
    upsample_convolve<8, 4, 1>(restored, weights.conv3, w + kConv3.bias, y3.value);
#pragma unroll
    for (int c = 0; c < 4; ++c) swish(y3.value[c], slope3[c], w[kAlpha]);
    y3.exchange();
    upsample_convolve<4, 2, 2>(y3, weights.conv4, w + kConv4.bias, y4.value);
#pragma unroll
    for (int c = 0; c < 2; ++c) swish(y4.value[c], slope4[c], w[kAlpha]);
    y4.exchange();
    float y5[1][8];
    upsample_convolve<2, 1, 4>(y4, weights.conv5, w + kConv5.bias, y5);
#pragma unroll
    for (int t = 0; t < 8; ++t) decoded[t] = y5[0][t];
  }
};
static_assert(kRestoreWeight % 2 == 0);

__device__ inline void load_row(const float* row, Points<1, 8>& x) {
  const float4 a = reinterpret_cast<const float4*>(row)[2 * lane_id()];
  const float4 b = reinterpret_cast<const float4*>(row)[2 * lane_id() + 1];
  const float points[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
  for (int t = 0; t < 8; ++t) x.value[0][t] = points[t];
  x.exchange();
}

}  // namespace beatscan::vae
