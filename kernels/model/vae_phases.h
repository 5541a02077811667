// kernels/model/vae_phases.h — the phases of the fused step on the CPU for W beats in parallel, inlined into the
// functions of vae_group.cpp that are compiled for one kind of processor each.
#pragma once

#include "kernels/model/vae_lanes.h"
#include "kernels/model/vae_layout.h"

namespace beatscan::vae {

// A field holds an activation on the way forward. On the way back it holds the gradient of that activation, if nothing
// needs the activation any more.
template <int W>
struct GroupMemory {
  Lanes<W> live;  // 1 for a lane with a beat, 0 for one without
  Signal<W, 1, 256> x;
  Signal<W, 4, 256> y0;
  Signal<W, 4, 128> half0, half0_gradient;
  Signal<W, 8, 128> y1;
  Signal<W, 8, 64> half1, half1_gradient;
  Signal<W, 16, 64> y2;
  Signal<W, 16, 32> half2;
  Lanes<W> total[16];  // sums of half2 over time
  Lanes<W> mu[kLatents], logvar[kLatents], z[kLatents], eps[kLatents];
  Signal<W, 8, 32> restored;
  Signal<W, 8, 64> up3;
  Signal<W, 4, 64> y3;
  Signal<W, 4, 128> up4;
  Signal<W, 2, 128> y4;
  Signal<W, 2, 256> up5;
  Signal<W, 1, 256> decoded;
  Signal<W, 2, 256> up5_gradient;
  Signal<W, 4, 128> up4_gradient;
  Signal<W, 8, 64> up3_gradient;
  Slopes<W, 4, 256> slopes0;
  Slopes<W, 8, 128> slopes1;
  Slopes<W, 16, 64> slopes2;
  Slopes<W, 4, 64> slopes3;
  Slopes<W, 2, 128> slopes4;
  Lanes<W>* sums;  // [kSums] over the groups so far
};

// Reads W beats.
template <int W>
BEATSCAN_INLINE void load_beats(GroupMemory<W>& m, const float* const* rows) {
  for (int t = 0; t < kPoints; t += W) {
    Lanes<W> block[W];
#pragma GCC unroll 16
    for (int lane = 0; lane < W; ++lane) block[lane] = load<W>(rows[lane] + t);
    transpose<W>(block);
#pragma GCC unroll 16
    for (int i = 0; i < W; ++i) m.x.at[0][t + i + 1] = block[i];
  }
}

// Applies the heads. A convolution averaged over time is a weighted sum of each channel's total, minus the point that
// an outer tap misses at an end.
template <int W>
BEATSCAN_INLINE void apply_heads(GroupMemory<W>& m, const float* p) {
  for (int c = 0; c < 16; ++c) {
    m.total[c] = Lanes<W>{};
    for (int t = 1; t <= kRestoredPoints; ++t) m.total[c] += m.half2.at[c][t];
  }
  for (int j = 0; j < kLatents; ++j) {
    Lanes<W> mu = {}, logvar = {};
    for (int c = 0; c < 16; ++c) {
      const Lanes<W> taps[3] = {m.total[c] - m.half2.at[c][kRestoredPoints], m.total[c], m.total[c] - m.half2.at[c][1]};
      for (int k = 0; k < 3; ++k) {
        mu += p[kMuHead.weight + (j * 16 + c) * 3 + k] * taps[k];
        logvar += p[kLogvarHead.weight + (j * 16 + c) * 3 + k] * taps[k];
      }
    }
    m.mu[j] = mu * (1.0f / kRestoredPoints) + p[kMuHead.bias + j];
    m.logvar[j] = logvar * (1.0f / kRestoredPoints) + p[kLogvarHead.bias + j];
  }
}

// Applies swish, and keeps its derivative if a gradient follows.
template <bool kWithSlopes, int W, int Channels, int Length>
BEATSCAN_INLINE void activate(Signal<W, Channels, Length>& y, float alpha, Slopes<W, Channels, Length>& slopes) {
  if constexpr (kWithSlopes)
    swish(y, alpha, slopes);
  else
    swish(y, alpha);
}

// Runs the encoder, from x to mu and logvar.
template <bool kWithSlopes, int W>
BEATSCAN_INLINE void encode(GroupMemory<W>& m, const float* p) {
  const float alpha = p[kAlpha];
  convolve<W, 1, 4, 256>(m.x, p + kConv0.weight, p + kConv0.bias, m.y0);
  activate<kWithSlopes>(m.y0, alpha, m.slopes0);
  blur<W, 4, 256>(m.y0, m.half0);
  convolve<W, 4, 8, 128>(m.half0, p + kConv1.weight, p + kConv1.bias, m.y1);
  activate<kWithSlopes>(m.y1, alpha, m.slopes1);
  blur<W, 8, 128>(m.y1, m.half1);
  convolve<W, 8, 16, 64>(m.half1, p + kConv2.weight, p + kConv2.bias, m.y2);
  activate<kWithSlopes>(m.y2, alpha, m.slopes2);
  blur<W, 16, 64>(m.y2, m.half2);
  apply_heads(m, p);
}

template <int W>
BEATSCAN_INLINE Lanes<W> divergence(const GroupMemory<W>& m) {
  Lanes<W> sum = {};
  for (int j = 0; j < kLatents; ++j) sum += 1.0f + m.logvar[j] - m.mu[j] * m.mu[j] - exponential<W>(m.logvar[j]);
  return -0.5f * sum;
}

// Runs the decoder, from z to `decoded`.
template <bool kWithSlopes, int W>
BEATSCAN_INLINE void decode(GroupMemory<W>& m, const float* p) {
  const float alpha = p[kAlpha];
  for (int c = 0; c < kRestored; ++c)
    for (int t = 0; t < kRestoredPoints; ++t) {
      const int r = c * kRestoredPoints + t;
      const float* w = p + kRestoreWeight + r * kLatents;
      m.restored.at[c][t + 1] = w[0] * m.z[0] + w[1] * m.z[1] + p[kRestoreBias + r];
    }
  upsample<W, 8, 32>(m.restored, m.up3);
  convolve<W, 8, 4, 64>(m.up3, p + kConv3.weight, p + kConv3.bias, m.y3);
  activate<kWithSlopes>(m.y3, alpha, m.slopes3);
  upsample<W, 4, 64>(m.y3, m.up4);
  convolve<W, 4, 2, 128>(m.up4, p + kConv4.weight, p + kConv4.bias, m.y4);
  activate<kWithSlopes>(m.y4, alpha, m.slopes4);
  upsample<W, 2, 128>(m.y4, m.up5);
  convolve<W, 2, 1, 256>(m.up5, p + kConv5.weight, p + kConv5.bias, m.decoded);
}

// Replaces `decoded` by decoded - x, and returns the mean square of that.
template <int W>
BEATSCAN_INLINE Lanes<W> compare(GroupMemory<W>& m) {
  Lanes<W> sum = {};
  for (int t = 1; t <= kPoints; ++t) {
    m.decoded.at[0][t] -= m.x.at[0][t];
    sum += m.decoded.at[0][t] * m.decoded.at[0][t];
  }
  return sum * (1.0f / kPoints);
}

// Goes back from the gradient of `decoded` to that of z.
template <int W>
BEATSCAN_INLINE void decode_gradient(GroupMemory<W>& m, const float* p, Lanes<W> (&dz)[kLatents]) {
  weight_gradient<W, 2, 1, 256>(m.up5, m.decoded, m.sums + kConv5.weight, m.sums + kConv5.bias);
  input_gradient<W, 2, 1, 256>(m.decoded, p + kConv5.weight, m.up5_gradient);
  upsample_gradient<W, 2, 128>(m.up5_gradient, m.y4);
  swish_gradient(m.y4, m.slopes4);
  weight_gradient<W, 4, 2, 128>(m.up4, m.y4, m.sums + kConv4.weight, m.sums + kConv4.bias);
  input_gradient<W, 4, 2, 128>(m.y4, p + kConv4.weight, m.up4_gradient);
  upsample_gradient<W, 4, 64>(m.up4_gradient, m.y3);
  swish_gradient(m.y3, m.slopes3);
  weight_gradient<W, 8, 4, 64>(m.up3, m.y3, m.sums + kConv3.weight, m.sums + kConv3.bias);
  input_gradient<W, 8, 4, 64>(m.y3, p + kConv3.weight, m.up3_gradient);
  upsample_gradient<W, 8, 32>(m.up3_gradient, m.restored);
  for (int c = 0; c < kRestored; ++c)
    for (int t = 0; t < kRestoredPoints; ++t) {
      const int r = c * kRestoredPoints + t;
      const Lanes<W> g = m.restored.at[c][t + 1];
      for (int j = 0; j < kLatents; ++j) {
        dz[j] += g * p[kRestoreWeight + r * kLatents + j];
        m.sums[kRestoreWeight + r * kLatents + j] += g * m.z[j];
      }
      m.sums[kRestoreBias + r] += g;
    }
}

// Goes back from the gradients of mu and logvar to that of half2, which replaces half2.
template <int W>
BEATSCAN_INLINE void heads_gradient(GroupMemory<W>& m, const float* p, const Lanes<W> (&dmu)[kLatents],
                                    const Lanes<W> (&dlogvar)[kLatents]) {
  for (int c = 0; c < 16; ++c) {
    const Lanes<W> taps[3] = {m.total[c] - m.half2.at[c][kRestoredPoints], m.total[c], m.total[c] - m.half2.at[c][1]};
    Lanes<W> by_tap[3] = {};
    const auto one_head = [&](const Convolution& head, int j, Lanes<W> g) __attribute__((always_inline)) {
      for (int k = 0; k < 3; ++k) {
        m.sums[head.weight + (j * 16 + c) * 3 + k] += g * taps[k];
        by_tap[k] += g * p[head.weight + (j * 16 + c) * 3 + k];
      }
    };
    for (int j = 0; j < kLatents; ++j) {
      one_head(kMuHead, j, dmu[j] * (1.0f / kRestoredPoints));
      one_head(kLogvarHead, j, dlogvar[j] * (1.0f / kRestoredPoints));
    }
    const Lanes<W> all = by_tap[0] + by_tap[1] + by_tap[2];
    for (int t = 2; t < kRestoredPoints; ++t) m.half2.at[c][t] = all;
    m.half2.at[c][1] = by_tap[0] + by_tap[1];
    m.half2.at[c][kRestoredPoints] = by_tap[1] + by_tap[2];
  }
  for (int j = 0; j < kLatents; ++j) {
    m.sums[kMuHead.bias + j] += dmu[j];
    m.sums[kLogvarHead.bias + j] += dlogvar[j];
  }
}

template <int W>
BEATSCAN_INLINE void encode_gradient(GroupMemory<W>& m, const float* p) {
  blur_gradient<W, 16, 64>(m.half2, m.y2);
  swish_gradient(m.y2, m.slopes2);
  weight_gradient<W, 8, 16, 64>(m.half1, m.y2, m.sums + kConv2.weight, m.sums + kConv2.bias);
  input_gradient<W, 8, 16, 64>(m.y2, p + kConv2.weight, m.half1_gradient);
  blur_gradient<W, 8, 128>(m.half1_gradient, m.y1);
  swish_gradient(m.y1, m.slopes1);
  weight_gradient<W, 4, 8, 128>(m.half0, m.y1, m.sums + kConv1.weight, m.sums + kConv1.bias);
  input_gradient<W, 4, 8, 128>(m.y1, p + kConv1.weight, m.half0_gradient);
  blur_gradient<W, 4, 256>(m.half0_gradient, m.y0);
  swish_gradient(m.y0, m.slopes0);
  weight_gradient<W, 1, 4, 256>(m.x, m.y0, m.sums + kConv0.weight, m.sums + kConv0.bias);
}

template <int W>
BEATSCAN_INLINE void draw_latents(GroupMemory<W>& m, Lanes<W> (&deviation)[kLatents]) {
  for (int j = 0; j < kLatents; ++j) {
    deviation[j] = exponential<W>(0.5f * m.logvar[j]);
    m.z[j] = m.mu[j] + m.eps[j] * deviation[j];
  }
}

// The functions below call the phases above through Phases, as functions of their own. Inlining all of them into each
// caller would take twice as long to compile.
template <class Phases, int W>
BEATSCAN_INLINE void add_gradients(GroupMemory<W>& m, const float* p, float kl_weight) {
  Phases::encode_for_gradient(m, p);
  Lanes<W> deviation[kLatents];
  draw_latents(m, deviation);
  Phases::decode_for_gradient(m, p);
  m.sums[kLossSlot] += m.live * (compare(m) + kl_weight * divergence(m));

  for (int t = 1; t <= kPoints; ++t) m.decoded.at[0][t] *= m.live * (2.0f / kPoints);
  Lanes<W> dz[kLatents] = {}, dmu[kLatents], dlogvar[kLatents];
  Phases::decode_gradient(m, p, dz);
  for (int j = 0; j < kLatents; ++j) {
    const Lanes<W> weight = kl_weight * m.live;
    dmu[j] = dz[j] + weight * m.mu[j];
    dlogvar[j] = dz[j] * m.eps[j] * (0.5f * deviation[j]) - (0.5f * weight) * (1.0f - deviation[j] * deviation[j]);
  }
  heads_gradient(m, p, dmu, dlogvar);
  Phases::encode_gradient(m, p);
}

template <class Phases, int W>
BEATSCAN_INLINE void score_group(GroupMemory<W>& m, const float* p, bool noisy, Lanes<W>* error, Lanes<W>* kl) {
  Phases::encode(m, p);
  Lanes<W> deviation[kLatents];
  if (noisy) draw_latents(m, deviation);
  for (int j = 0; j < kLatents && !noisy; ++j) m.z[j] = m.mu[j];
  Phases::decode(m, p);
  *error = compare(m);
  *kl = divergence(m);
}

template <class Phases, int W>
BEATSCAN_INLINE void decode_group(GroupMemory<W>& m, const float* p, Lanes<W>* error) {
  Phases::decode(m, p);
  *error = compare(m);
}

}  // namespace beatscan::vae
