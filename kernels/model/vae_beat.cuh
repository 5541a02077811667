// kernels/model/vae_beat.cuh — the training step on the GPU, forward and backward: one warp works on one beat.
#pragma once

#include "kernels/model/vae_forward.cuh"
#include "kernels/model/vae_gradients.cuh"

namespace beatscan::vae {

struct alignas(16) WarpMemory {
  float sums[kPartStride];  // over this warp's beats
  Halves halves;
  Slopes slopes;
  float dy3[4 * 64];
};

// Joins two output channels' sums of In * 3 weights and a bias: first the weights, then the biases, then zeros.
template <int Weights>
__device__ void join(const float (&a)[Weights + 1], const float (&b)[Weights + 1], float (&joined)[32]) {
#pragma unroll
  for (int i = 0; i < 32; ++i)
    joined[i] = i < Weights            ? a[i]
                : i < 2 * Weights      ? b[i < 2 * Weights ? i - Weights : 0]
                : i == 2 * Weights     ? a[Weights]
                : i == 2 * Weights + 1 ? b[Weights]
                                       : 0.0f;
}

struct BeatInput {
  Points<1, 8> x;
  float eps[kLatents];

  __device__ void load(const DeviceBatch& batch, std::int64_t i) {
    load_row(batch.rows + std::int64_t{batch.indices[i]} * kPoints, x);
    const float2 pair = reinterpret_cast<const float2*>(batch.eps)[i];
    eps[0] = pair.x, eps[1] = pair.y;
  }
};

// One warp's pass over one beat. Each phase adds its parameters' gradients to memory.sums.
class Beat {
 public:
  __device__ Beat(const Weights& weights, WarpMemory& memory) : weights_(weights), w_(weights.at), memory_(memory) {}

  __device__ void run(const BeatInput& input, float kl_weight) {
    const auto& [x, eps] = input;
    const Encoded encoded = encode<true>(x, w_, memory_.halves, &memory_.slopes);
    const Latents& latents = encoded.latents;
    float z[kLatents], deviation[kLatents], dz[kLatents];
#pragma unroll
    for (int j = 0; j < kLatents; ++j) {
      deviation[j] = __expf(0.5f * latents.logvar[j]);
      z[j] = fmaf(eps[j], deviation[j], latents.mu[j]);
    }
    decode_and_back(x, z, dz, lane_id() == 0 ? kl_weight * divergence(latents) : 0.0f);
    float dmu[kLatents], dlogvar[kLatents];
#pragma unroll
    for (int j = 0; j < kLatents; ++j) {
      dmu[j] = fmaf(kl_weight, latents.mu[j], dz[j]);
      dlogvar[j] = dz[j] * eps[j] * 0.5f * deviation[j] - 0.5f * kl_weight * (1.0f - deviation[j] * deviation[j]);
    }
    heads_back(encoded, dmu, dlogvar);
    conv2_back();
    conv1_back();
    conv0_back(x);
  }

 private:
  // For each i, adds the sum of sums[i] over the lanes to a slot of memory.sums: to `count` slots from `first` on,
  // then to `behind` slots from `second` on.
  __device__ void add_sums(float (&sums)[32], int first, int count, int second = 0, int behind = 0) {
    const float sum = sums_over_lanes(sums);
    const int lane = lane_id();
    if (lane < count + behind) memory_.sums[lane < count ? first + lane : second + lane - count] += sum;
  }

  // Runs the decoder forward, computes the loss, and goes back to the gradient of z.
  __device__ void decode_and_back(const Points<1, 8>& x, const float (&z)[kLatents], float (&dz)[kLatents],
                                  float divergence_share) {
    Decoder decoder;
    decoder.run(z, weights_);
    float sums[32] = {}, dy5[8], loss = 0;
#pragma unroll
    for (int t = 0; t < 8; ++t) {
      const float difference = decoder.decoded[t] - x.value[0][t];
      loss = fmaf(difference, difference, loss);
      dy5[t] = difference * (2.0f / kPoints);
    }
    float dy4[2][4] = {}, dy3[4][2] = {}, dh[8][1] = {};
    upsampled_weight_gradient(decoder.y4, dy5, sums);
    sums[7] = fmaf(loss, 1.0f / kPoints, divergence_share);
    add_sums(sums, kConv5.weight, 7, kLossSlot, 1);
    add_upsampled_input_gradient(dy5, weights_.conv5, dy4);

    float parts[2][13];
#pragma unroll
    for (int o = 0; o < 2; ++o) {
#pragma unroll
      for (int t = 0; t < 4; ++t) dy4[o][t] *= decoder.slope4[o][t];
      upsampled_weight_gradient(decoder.y3, dy4[o], parts[o]);
      add_upsampled_input_gradient(dy4[o], weights_.conv4 + o * 4, dy3);
    }
    join<12>(parts[0], parts[1], sums);
    add_sums(sums, kConv4.weight, 26);

#pragma unroll
    for (int o = 0; o < 4; ++o) {
#pragma unroll
      for (int t = 0; t < 2; ++t) dy3[o][t] *= decoder.slope3[o][t];
      store_points(memory_.dy3 + o * 64, dy3[o]);
    }
#pragma unroll 1
    for (int o = 0; o < 4; ++o) {
      float dy[2];
      load_points(memory_.dy3 + o * 64, dy);
      upsampled_weight_gradient(decoder.restored, dy, sums);
      add_upsampled_input_gradient(dy, weights_.conv3 + o * 8, dh);
#pragma unroll
      for (int i = 25; i < 32; ++i) sums[i] = 0;
      add_sums(sums, kConv3.weight + o * 24, 24, kConv3.bias + o, 1);
    }
    restore_back(z, dh, dz);
  }

  __device__ void restore_back(const float (&z)[kLatents], const float (&dh)[8][1], float (&dz)[kLatents]) {
    dz[0] = dz[1] = 0;
#pragma unroll
    for (int c = 0; c < kRestored; ++c) {
      const int r = c * kRestoredPoints + lane_id();
      const float2 factors = *reinterpret_cast<const float2*>(w_ + kRestoreWeight + 2 * r);
      dz[0] = fmaf(dh[c][0], factors.x, dz[0]);
      dz[1] = fmaf(dh[c][0], factors.y, dz[1]);
      float2& gradient = *reinterpret_cast<float2*>(memory_.sums + kRestoreWeight + 2 * r);
      gradient = make_float2(fmaf(dh[c][0], z[0], gradient.x), fmaf(dh[c][0], z[1], gradient.y));
      memory_.sums[kRestoreBias + r] += dh[c][0];
    }
    dz[0] = sum_over_lanes(dz[0]);
    dz[1] = sum_over_lanes(dz[1]);
  }

  // Goes back from the heads to the gradient before conv2's swish, and writes it as quads in place of slope2. Lane (r,
  // q) has head q, and at the end channels r and r + 8, points 16 q .. 16 q + 15.
  __device__ void heads_back(const Encoded& encoded, const float (&dmu)[kLatents], const float (&dlogvar)[kLatents]) {
    const int lane = lane_id(), r = lane_row(), q = lane_column();
    const float head = q == 0 ? dmu[0] : q == 1 ? dmu[1] : q == 2 ? dlogvar[0] : dlogvar[1];
    const float of_point = head * (1.0f / kRestoredPoints);
    if (r == 0) memory_.sums[head_bias()] += head;
    float4* slopes = memory_.slopes.slope2;
    float dy[2][16];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int weight = head_weight(r + 8 * i);
      float by_tap[3];
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        memory_.sums[weight + k] += of_point * encoded.taps[i][k];
        by_tap[k] = sum_over_columns(of_point * w_[weight + k]);
      }
      // The gradient is the same for every point of half2 but the first and the last.
      const float all = by_tap[0] + by_tap[1] + by_tap[2];
      float dhalf2[9];
#pragma unroll
      for (int t = 0; t < 9; ++t) dhalf2[t] = all;
      if (q == 0) dhalf2[0] = by_tap[0] + by_tap[1];
      if (q == 3) dhalf2[7] = by_tap[1] + by_tap[2], dhalf2[8] = 0;
#pragma unroll
      for (int t = 0; t < 8; ++t) dy[i][2 * t] = 2.0f * dhalf2[t], dy[i][2 * t + 1] = dhalf2[t] + dhalf2[t + 1];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const float4 slope = slopes[(4 * i + j) * 32 + lane];
        dy[i][4 * j] *= slope.x, dy[i][4 * j + 1] *= slope.y, dy[i][4 * j + 2] *= slope.z, dy[i][4 * j + 3] *= slope.w;
      }
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) slopes[quad_of_dy2(r + 8 * i, 4 * q + j)] = quad_at(dy[i], 4 * j);
    __syncwarp();
  }

  // Goes back through conv2 and replaces half1 by its gradient.
  __device__ void conv2_back() {
    const int r = lane_row(), q = lane_column();
    float4* half1 = memory_.halves.half1;
    const float4* dy2 = memory_.slopes.slope2;
    weight_gradient2(half1, dy2, memory_.sums + kConv2.weight, memory_.sums + kConv2.bias);
    float dhalf1[2][8];
    input_gradient2(dy2, w_ + kConv2.weight, dhalf1);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      half1[quad_of_dhalf1(2 * q + i, r)] = quad_at(dhalf1[i], 0);
      half1[quad_of_dhalf1(2 * q + i, 8 + r)] = quad_at(dhalf1[i], 4);
    }
    __syncwarp();
  }

  // Goes back through conv1 and replaces half0 by its gradient. Lane (r, q) has channel r of dy1, points 32 q ..
  // 32 q + 31.
  __device__ void conv1_back() {
    const int r = lane_row(), q = lane_column();
    float4* dy1 = memory_.slopes.slope1;
    float dhalf1[16], dy[32];
#pragma unroll
    for (int i = 0; i < 4; ++i) put(dhalf1, 4 * i, memory_.halves.half1[quad_of_dhalf1(r, 4 * q + i)]);
    const float right = __shfl_down_sync(kAllLanes, dhalf1[0], 1);
    blur_gradient(dhalf1, q < 3 ? right : 0.0f, dy);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float4& quad = dy1[quad_of_dy1(r, 8 * q + i)];
      quad = make_float4(dy[4 * i] * quad.x, dy[4 * i + 1] * quad.y, dy[4 * i + 2] * quad.z, dy[4 * i + 3] * quad.w);
    }
    __syncwarp();
    float4* half0 = memory_.halves.half0;
    weight_gradient1(half0, dy1, memory_.sums + kConv1.weight, memory_.sums + kConv1.bias);
    float dhalf0[16];
    input_gradient1(dy1, w_ + kConv1.weight, dhalf0);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      half0[quad_of_half0(q, 2 * r + i)] = quad_at(dhalf0, 4 * i);
      half0[quad_of_half0(q, 16 + 2 * r + i)] = quad_at(dhalf0, 8 + 4 * i);
    }
    __syncwarp();
  }

  __device__ void conv0_back(const Points<1, 8>& x) {
    float sums[32] = {};
#pragma unroll
    for (int o = 0; o < 4; ++o) {
      float dhalf0[4], dy[8], slope[8], part[4];
      put(dhalf0, 0, memory_.halves.half0[quad_of_half0(o, lane_id())]);
      blur_gradient(dhalf0, from_right(dhalf0[0]), dy);
      load_points(memory_.slopes.slope0 + o * 256, slope);
#pragma unroll
      for (int t = 0; t < 8; ++t) dy[t] *= slope[t];
      weight_gradient(x, dy, part);
#pragma unroll
      for (int k = 0; k < 3; ++k) sums[o * 3 + k] = part[k];
      sums[kConv0.weights() + o] = part[3];
    }
    add_sums(sums, kConv0.weight, kConv0.end() - kConv0.weight);
  }

  const Weights& weights_;
  const float* w_;
  WarpMemory& memory_;
};

}  // namespace beatscan::vae
