// kernels/model/vae_matrix.cuh — the encoder's two large convolutions on tensor cores: one warp works on one beat.
#pragma once

#include "kernels/model/vae_mma.cuh"

namespace beatscan::vae {

// --- conv1, 4 to 8 channels
// Computes conv1. Lane (r, q) gets channel r, points 32 q .. 32 q + 31. Rows are (channel, first or second of two
// neighbouring points), the inner index is (input channel, point of the four that both see), and columns are pairs of
// points.
__device__ inline void convolve1(const float4* half0, const float* weights, const float* bias, float (&y)[32]) {
  const int r = lane_row(), q = lane_column();
  float x[18];  // channel q, points 16 r - 1 .. 16 r + 16
#pragma unroll
  for (int i = 0; i < 4; ++i) put(x, 1 + 4 * i, half0[quad_of_half0(q, 4 * r + i)]);
  const float left = __shfl_up_sync(kAllLanes, x[16], 4), right = __shfl_down_sync(kAllLanes, x[1], 4);
  x[0] = r > 0 ? left : 0.0f;
  x[17] = r < 7 ? right : 0.0f;
  Split parts[18];
#pragma unroll
  for (int i = 0; i < 18; ++i) parts[i] = split(x[i]);
  const float* w = weights + (r * 4 + q) * 3;
  const Split w0 = split(w[0]), w1 = split(w[1]), w2 = split(w[2]), none{0, 0};
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    float d[4] = {bias[r], bias[r], bias[r], bias[r]};
    multiply_add(d, w0, none, w1, w0, parts[2 * j], parts[2 * j + 1]);
    multiply_add(d, w2, w1, none, w2, parts[2 * j + 2], parts[2 * j + 3]);
    y[2 * j] = d[0], y[16 + 2 * j] = d[1], y[2 * j + 1] = d[2], y[16 + 2 * j + 1] = d[3];
  }
}

// Adds conv1's gradients to sums [8][4][3] and bias_sums [8]. Rows are (tap, input channel), with ones for a fourth
// tap, which gives the bias. Columns are output channels, and the inner index is time as in weight_gradient2.
__device__ inline void weight_gradient1(const float4* half0, const float4* dy1, float* sums, float* bias_sums) {
  const int r = lane_row(), q = lane_column(), channel = r % 4;
  const bool later = r >= 4;  // rows r and r + 8 are taps 0 and 2, or 1 and 3
  float chains[4][4] = {};
  float4 before{}, x = half0[quad_of_half0(channel, q)];
#pragma unroll
  for (int b = 0; b < 8; ++b) {
    const float4 behind = b < 7 ? half0[quad_of_half0(channel, 4 * b + 4 + q)] : float4{};
    const float4 quad = dy1[quad_of_dy1(r, 4 * b + q)];
    const Split g[4] = {split(quad.x), split(quad.y), split(quad.z), split(quad.w)};
    float points[6];
    with_neighbours(before, x, behind, points);
    Split a[4][2];
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      a[t][0] = split(later ? points[t + 1] : points[t]);
      a[t][1] = split(later ? 1.0f : points[t + 2]);
    }
#pragma unroll
    for (int t = 0; t < 4; t += 2)
      multiply_add(chains[b % 2 * 2 + t / 2], a[t][0], a[t][1], a[t + 1][0], a[t + 1][1], g[t], g[t + 1]);
    before = x;
    x = behind;
  }
  float d[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) d[i] = (chains[0][i] + chains[1][i]) + (chains[2][i] + chains[3][i]);
#pragma unroll
  for (int i = 0; i < 2; ++i) {  // output channels 2 q and 2 q + 1
    const int out = 2 * q + i;
    sums[(out * 4 + channel) * 3 + (later ? 1 : 0)] += d[i];
    if (!later)
      sums[(out * 4 + channel) * 3 + 2] += d[2 + i];
    else if (channel == 0)
      bias_sums[out] += d[2 + i];
  }
}

// Computes the gradient of half0. Lane (r, q) gets channel q, points 8 r .. 8 r + 7 and 64 + 8 r .. 64 + 8 r + 7. Rows
// are pairs of points, the inner index is output channels for each of the four points that a pair's gradient sees, and
// columns are (input channel, first or second point).
__device__ inline void input_gradient1(const float4* dy1, const float* weights, float (&dx)[16]) {
  const int r = lane_row(), q = lane_column();
  const bool second = r % 2;  // column r is (channel r / 2, point r % 2)
  Split g[2][2][10];          // [channel q or q + 4][lower or upper points][8 r - 1 .. 8 r + 8]
  Split b[2][4];              // [of these channels][point seen]
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int channel = q + 4 * i;
    const float4 quads[2][2] = {{dy1[quad_of_dy1(channel, 2 * r)], dy1[quad_of_dy1(channel, 2 * r + 1)]},
                                {dy1[quad_of_dy1(channel, 16 + 2 * r)], dy1[quad_of_dy1(channel, 17 + 2 * r)]}};
    const HalfNeighbours beside(quads[0][0].x, quads[0][1].w, quads[1][0].x, quads[1][1].w);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float points[10];
      points[0] = half == 0 ? beside.lower_before : beside.upper_before;
      put(points, 1, quads[half][0]);
      put(points, 5, quads[half][1]);
      points[9] = half == 0 ? beside.lower_behind : beside.upper_behind;
#pragma unroll
      for (int t = 0; t < 10; ++t) g[i][half][t] = split(points[t]);
    }
    const float* w = weights + (channel * 4 + r / 2) * 3;  // point e of the four is seen by tap 2 - e, or 3 - e
    b[i][0] = split(second ? 0.0f : w[2]);
    b[i][1] = split(second ? w[2] : w[1]);
    b[i][2] = split(second ? w[1] : w[0]);
    b[i][3] = split(second ? w[0] : 0.0f);
  }
#pragma unroll
  for (int t = 0; t < 4; ++t) {
    float chains[2][4] = {};
#pragma unroll
    for (int e = 0; e < 4; ++e)
      multiply_add(chains[e % 2], g[0][0][2 * t + e], g[0][1][2 * t + e], g[1][0][2 * t + e], g[1][1][2 * t + e],
                   b[0][e], b[1][e]);
#pragma unroll
    for (int i = 0; i < 4; ++i) dx[i / 2 * 8 + 2 * t + i % 2] = chains[0][i] + chains[1][i];
  }
}

// --- conv2, 8 to 16 channels
// Computes conv2. Lane (r, q) gets channels r and r + 8, points 16 q .. 16 q + 15. Rows are channels, the inner index
// is input channels for each tap, and columns are points.
__device__ inline void convolve2(const float4* half1, const float* weights, const float* bias, float (&y)[2][16]) {
  const int r = lane_row(), q = lane_column();
  Split x[2][10];  // channels q and q + 4, points 8 r - 1 .. 8 r + 8
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    float points[10];
    put(points, 1, half1[quad_of_half1(q + 4 * i, 2 * r)]);
    put(points, 5, half1[quad_of_half1(q + 4 * i, 2 * r + 1)]);
    const float left = __shfl_up_sync(kAllLanes, points[8], 4), right = __shfl_down_sync(kAllLanes, points[1], 4);
    points[0] = r > 0 ? left : 0.0f;
    points[9] = r < 7 ? right : 0.0f;
#pragma unroll
    for (int t = 0; t < 10; ++t) x[i][t] = split(points[t]);
  }
  float d[8][4];
#pragma unroll
  for (int j = 0; j < 8; ++j) d[j][0] = d[j][1] = bias[r], d[j][2] = d[j][3] = bias[r + 8];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const float* w = weights + (r * 8 + q) * 3 + k;
    const Split a0 = split(w[0]), a1 = split(w[8 * 8 * 3]), a2 = split(w[4 * 3]), a3 = split(w[8 * 8 * 3 + 4 * 3]);
#pragma unroll
    for (int j = 0; j < 8; ++j) multiply_add(d[j], a0, a1, a2, a3, x[0][j + k], x[1][j + k]);
  }
#pragma unroll
  for (int j = 0; j < 8; ++j) y[0][j] = d[j][0], y[0][8 + j] = d[j][1], y[1][j] = d[j][2], y[1][8 + j] = d[j][3];
}

// Adds conv2's gradients to sums [16][8][3] and bias_sums [16]. Rows are output channels, columns are input channels
// for each tap, and the inner index is time: of each 16 points, lane column q has 4 q .. 4 q + 3.
__device__ inline void weight_gradient2(const float4* half1, const float4* dy2, float* sums, float* bias_sums) {
  const int r = lane_row(), q = lane_column();
  float chains[2][3][4] = {}, bias[2] = {};
  float4 x[4];
#pragma unroll
  for (int b = 0; b < 4; ++b) x[b] = half1[quad_of_half1(r, 4 * b + q)];
#pragma unroll
  for (int b = 0; b < 4; ++b) {
    float points[6];
    with_neighbours(b > 0 ? x[b > 0 ? b - 1 : 0] : float4{}, x[b], b < 3 ? x[b < 3 ? b + 1 : 0] : float4{}, points);
    Split v[6];
#pragma unroll
    for (int t = 0; t < 6; ++t) v[t] = split(points[t]);
    const float4 g0 = dy2[quad_of_dy2(r, 4 * b + q)], g1 = dy2[quad_of_dy2(r + 8, 4 * b + q)];
    bias[0] += (g0.x + g0.y) + (g0.z + g0.w);
    bias[1] += (g1.x + g1.y) + (g1.z + g1.w);
    const Split a[4][2] = {
        {split(g0.x), split(g1.x)}, {split(g0.y), split(g1.y)}, {split(g0.z), split(g1.z)}, {split(g0.w), split(g1.w)}};
#pragma unroll
    for (int step = 0; step < 2; ++step)
#pragma unroll
      for (int k = 0; k < 3; ++k)
        multiply_add(chains[step][k], a[2 * step][0], a[2 * step][1], a[2 * step + 1][0], a[2 * step + 1][1],
                     v[2 * step + k], v[2 * step + 1 + k]);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {  // channel r + 8 i: input channels 2 q and 2 q + 1
    float* own = sums + ((r + 8 * i) * 8 + 2 * q) * 3;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      own[k] += chains[0][k][2 * i] + chains[1][k][2 * i];
      own[3 + k] += chains[0][k][2 * i + 1] + chains[1][k][2 * i + 1];
    }
    bias[i] += __shfl_xor_sync(kAllLanes, bias[i], 1);
    bias[i] += __shfl_xor_sync(kAllLanes, bias[i], 2);
    if (q == 0) bias_sums[r + 8 * i] += bias[i];
  }
}

// Computes the gradient of half1. Lane (r, q) gets channels 2 q and 2 q + 1, points 4 r .. 4 r + 3 and 32 + 4 r ..
// 32 + 4 r + 3. Rows are points, the inner index is output channels for each tap, and columns are input channels.
__device__ inline void input_gradient2(const float4* dy2, const float* weights, float (&dx)[2][8]) {
  const int r = lane_row(), q = lane_column();
  float chains[2][4][4] = {};
#pragma unroll
  for (int half = 0; half < 2; ++half) {  // output channels 8 half + q and 8 half + q + 4
    Split g[2][2][6];                     // [of the channels][lower or upper points][4 r - 1 .. 4 r + 4]
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int channel = 8 * half + q + 4 * i;
      const float4 lower = dy2[quad_of_dy2(channel, r)], upper = dy2[quad_of_dy2(channel, 8 + r)];
      const HalfNeighbours beside(lower.x, lower.w, upper.x, upper.w);
      const float points[2][6] = {{beside.lower_before, lower.x, lower.y, lower.z, lower.w, beside.lower_behind},
                                  {beside.upper_before, upper.x, upper.y, upper.z, upper.w, beside.upper_behind}};
#pragma unroll
      for (int t = 0; t < 6; ++t) g[i][0][t] = split(points[0][t]), g[i][1][t] = split(points[1][t]);
    }
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const float* w = weights + ((8 * half + q) * 8 + r) * 3 + k;
      const Split b0 = split(w[0]), b1 = split(w[4 * 8 * 3]);
#pragma unroll
      for (int t = 0; t < 4; ++t)
        multiply_add(chains[half][t], g[0][0][t + 2 - k], g[0][1][t + 2 - k], g[1][0][t + 2 - k], g[1][1][t + 2 - k],
                     b0, b1);
    }
  }
#pragma unroll
  for (int t = 0; t < 4; ++t)
#pragma unroll
    for (int i = 0; i < 4; ++i) dx[i % 2][i / 2 * 4 + t] = chains[0][t][i] + chains[1][t][i];
}

}  // namespace beatscan::vae
