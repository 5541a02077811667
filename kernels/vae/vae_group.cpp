#include "kernels/vae/vae_group.h"

#include "kernels/vae/vae_lanes.h"

// Compiles a function once for each vector width; the program takes the widest one that the processor has. Such a
// function is a phase of the step. Phases are not inlined into each other: that would double the time to compile them.
#define BEATSCAN_EACH_WIDTH __attribute__((noinline, target_clones("default", "avx2", "avx512f")))

namespace beatscan::vae {

static_assert(kGroupBeats == kLanes);

// A field holds an activation on the way forward. On the way back it holds the gradient of that activation, if nothing
// needs the activation any more.
struct GroupMemory {
  Lanes live;  // 1 for a lane with a beat, 0 for one without
  Signal<1, 256> x;
  Signal<4, 256> y0;
  Signal<4, 128> half0, half0_gradient;
  Signal<8, 128> y1;
  Signal<8, 64> half1, half1_gradient;
  Signal<16, 64> y2;
  Signal<16, 32> half2;
  Lanes total[16];  // sums of half2 over time
  Lanes mu[kLatents], logvar[kLatents], z[kLatents], eps[kLatents];
  Signal<8, 32> restored;
  Signal<8, 64> up3;
  Signal<4, 64> y3;
  Signal<4, 128> up4;
  Signal<2, 128> y4;
  Signal<2, 256> up5;
  Signal<1, 256> decoded;
  Signal<2, 256> up5_gradient;
  Signal<4, 128> up4_gradient;
  Signal<8, 64> up3_gradient;
  Slopes<4, 256> slopes0;
  Slopes<8, 128> slopes1;
  Slopes<16, 64> slopes2;
  Slopes<4, 64> slopes3;
  Slopes<2, 128> slopes4;
  Lanes sums[kSums];
};

namespace {

// Applies the heads. A convolution averaged over time is a weighted sum of each channel's total, less the point that an
// outer tap misses at an end.
BEATSCAN_INLINE void apply_heads(GroupMemory& m, const float* p) {
  for (int c = 0; c < 16; ++c) {
    m.total[c] = Lanes{};
    for (int t = 1; t <= kRestoredPoints; ++t) m.total[c] += m.half2.at[c][t];
  }
  for (int j = 0; j < kLatents; ++j) {
    Lanes mu = {}, logvar = {};
    for (int c = 0; c < 16; ++c) {
      const Lanes taps[3] = {m.total[c] - m.half2.at[c][kRestoredPoints], m.total[c], m.total[c] - m.half2.at[c][1]};
      for (int k = 0; k < 3; ++k) {
        mu += p[kMuHead.weight + (j * 16 + c) * 3 + k] * taps[k];
        logvar += p[kLogvarHead.weight + (j * 16 + c) * 3 + k] * taps[k];
      }
    }
    m.mu[j] = mu * (1.0f / kRestoredPoints) + p[kMuHead.bias + j];
    m.logvar[j] = logvar * (1.0f / kRestoredPoints) + p[kLogvarHead.bias + j];
  }
}

// Runs the encoder, from x to mu and logvar.
BEATSCAN_EACH_WIDTH void encode(GroupMemory& m, const float* p) {
  const float alpha = p[kAlpha];
  convolve<1, 4, 256>(m.x, p + kConv0.weight, p + kConv0.bias, m.y0);
  swish(m.y0, alpha, m.slopes0);
  blur<4, 256>(m.y0, m.half0);
  convolve<4, 8, 128>(m.half0, p + kConv1.weight, p + kConv1.bias, m.y1);
  swish(m.y1, alpha, m.slopes1);
  blur<8, 128>(m.y1, m.half1);
  convolve<8, 16, 64>(m.half1, p + kConv2.weight, p + kConv2.bias, m.y2);
  swish(m.y2, alpha, m.slopes2);
  blur<16, 64>(m.y2, m.half2);
  apply_heads(m, p);
}

BEATSCAN_INLINE Lanes divergence(const GroupMemory& m) {
  Lanes sum = {};
  for (int j = 0; j < kLatents; ++j) sum += 1.0f + m.logvar[j] - m.mu[j] * m.mu[j] - exponential(m.logvar[j]);
  return -0.5f * sum;
}

// Runs the decoder, from z to `decoded`.
BEATSCAN_EACH_WIDTH void decode(GroupMemory& m, const float* p) {
  const float alpha = p[kAlpha];
  for (int c = 0; c < kRestored; ++c)
    for (int t = 0; t < kRestoredPoints; ++t) {
      const int r = c * kRestoredPoints + t;
      const float* w = p + kRestoreWeight + r * kLatents;
      m.restored.at[c][t + 1] = w[0] * m.z[0] + w[1] * m.z[1] + p[kRestoreBias + r];
    }
  upsample<8, 32>(m.restored, m.up3);
  convolve<8, 4, 64>(m.up3, p + kConv3.weight, p + kConv3.bias, m.y3);
  swish(m.y3, alpha, m.slopes3);
  upsample<4, 64>(m.y3, m.up4);
  convolve<4, 2, 128>(m.up4, p + kConv4.weight, p + kConv4.bias, m.y4);
  swish(m.y4, alpha, m.slopes4);
  upsample<2, 128>(m.y4, m.up5);
  convolve<2, 1, 256>(m.up5, p + kConv5.weight, p + kConv5.bias, m.decoded);
}

// Replaces `decoded` by decoded - x, and returns the mean square of that.
BEATSCAN_INLINE Lanes compare(GroupMemory& m) {
  Lanes sum = {};
  for (int t = 1; t <= kPoints; ++t) {
    m.decoded.at[0][t] -= m.x.at[0][t];
    sum += m.decoded.at[0][t] * m.decoded.at[0][t];
  }
  return sum * (1.0f / kPoints);
}

// Goes back from the gradient of `decoded` to that of z.
BEATSCAN_EACH_WIDTH void decode_gradient(GroupMemory& m, const float* p, Lanes (&dz)[kLatents]) {
  weight_gradient<2, 1, 256>(m.up5, m.decoded, m.sums + kConv5.weight, m.sums + kConv5.bias);
  input_gradient<2, 1, 256>(m.decoded, p + kConv5.weight, m.up5_gradient);
  upsample_gradient<2, 128>(m.up5_gradient, m.y4);
  swish_gradient(m.y4, m.slopes4);
  weight_gradient<4, 2, 128>(m.up4, m.y4, m.sums + kConv4.weight, m.sums + kConv4.bias);
  input_gradient<4, 2, 128>(m.y4, p + kConv4.weight, m.up4_gradient);
  upsample_gradient<4, 64>(m.up4_gradient, m.y3);
  swish_gradient(m.y3, m.slopes3);
  weight_gradient<8, 4, 64>(m.up3, m.y3, m.sums + kConv3.weight, m.sums + kConv3.bias);
  input_gradient<8, 4, 64>(m.y3, p + kConv3.weight, m.up3_gradient);
  upsample_gradient<8, 32>(m.up3_gradient, m.restored);
  for (int c = 0; c < kRestored; ++c)
    for (int t = 0; t < kRestoredPoints; ++t) {
      const int r = c * kRestoredPoints + t;
      const Lanes g = m.restored.at[c][t + 1];
      for (int j = 0; j < kLatents; ++j) {
        dz[j] += g * p[kRestoreWeight + r * kLatents + j];
        m.sums[kRestoreWeight + r * kLatents + j] += g * m.z[j];
      }
      m.sums[kRestoreBias + r] += g;
    }
}

// Goes back from the gradients of mu and logvar to that of half2, which replaces half2.
BEATSCAN_INLINE void heads_gradient(GroupMemory& m, const float* p, const Lanes (&dmu)[kLatents],
                                    const Lanes (&dlogvar)[kLatents]) {
  for (int c = 0; c < 16; ++c) {
    const Lanes taps[3] = {m.total[c] - m.half2.at[c][kRestoredPoints], m.total[c], m.total[c] - m.half2.at[c][1]};
    Lanes by_tap[3] = {};
    const auto one_head = [&](const Convolution& head, int j, Lanes g) __attribute__((always_inline)) {
      for (int k = 0; k < 3; ++k) {
        m.sums[head.weight + (j * 16 + c) * 3 + k] += g * taps[k];
        by_tap[k] += g * p[head.weight + (j * 16 + c) * 3 + k];
      }
    };
    for (int j = 0; j < kLatents; ++j) {
      one_head(kMuHead, j, dmu[j] * (1.0f / kRestoredPoints));
      one_head(kLogvarHead, j, dlogvar[j] * (1.0f / kRestoredPoints));
    }
    const Lanes all = by_tap[0] + by_tap[1] + by_tap[2];
    for (int t = 2; t < kRestoredPoints; ++t) m.half2.at[c][t] = all;
    m.half2.at[c][1] = by_tap[0] + by_tap[1];
    m.half2.at[c][kRestoredPoints] = by_tap[1] + by_tap[2];
  }
  for (int j = 0; j < kLatents; ++j) {
    m.sums[kMuHead.bias + j] += dmu[j];
    m.sums[kLogvarHead.bias + j] += dlogvar[j];
  }
}

BEATSCAN_EACH_WIDTH void encode_gradient(GroupMemory& m, const float* p) {
  blur_gradient<16, 64>(m.half2, m.y2);
  swish_gradient(m.y2, m.slopes2);
  weight_gradient<8, 16, 64>(m.half1, m.y2, m.sums + kConv2.weight, m.sums + kConv2.bias);
  input_gradient<8, 16, 64>(m.y2, p + kConv2.weight, m.half1_gradient);
  blur_gradient<8, 128>(m.half1_gradient, m.y1);
  swish_gradient(m.y1, m.slopes1);
  weight_gradient<4, 8, 128>(m.half0, m.y1, m.sums + kConv1.weight, m.sums + kConv1.bias);
  input_gradient<4, 8, 128>(m.y1, p + kConv1.weight, m.half0_gradient);
  blur_gradient<4, 256>(m.half0_gradient, m.y0);
  swish_gradient(m.y0, m.slopes0);
  weight_gradient<1, 4, 256>(m.x, m.y0, m.sums + kConv0.weight, m.sums + kConv0.bias);
}

BEATSCAN_INLINE void draw_latents(GroupMemory& m, Lanes (&deviation)[kLatents]) {
  for (int j = 0; j < kLatents; ++j) {
    deviation[j] = exponential(0.5f * m.logvar[j]);
    m.z[j] = m.mu[j] + m.eps[j] * deviation[j];
  }
}

BEATSCAN_EACH_WIDTH void add_gradients(GroupMemory& m, const float* p, float kl_weight) {
  encode(m, p);
  Lanes deviation[kLatents];
  draw_latents(m, deviation);
  decode(m, p);
  m.sums[kLossSlot] += m.live * (compare(m) + kl_weight * divergence(m));

  for (int t = 1; t <= kPoints; ++t) m.decoded.at[0][t] *= m.live * (2.0f / kPoints);
  Lanes dz[kLatents] = {}, dmu[kLatents], dlogvar[kLatents];
  decode_gradient(m, p, dz);
  for (int j = 0; j < kLatents; ++j) {
    const Lanes weight = kl_weight * m.live;
    dmu[j] = dz[j] + weight * m.mu[j];
    dlogvar[j] = dz[j] * m.eps[j] * (0.5f * deviation[j]) - (0.5f * weight) * (1.0f - deviation[j] * deviation[j]);
  }
  heads_gradient(m, p, dmu, dlogvar);
  encode_gradient(m, p);
}

BEATSCAN_EACH_WIDTH void score_group(GroupMemory& m, const float* p, bool noisy, Lanes* error, Lanes* kl) {
  encode(m, p);
  Lanes deviation[kLatents];
  if (noisy) draw_latents(m, deviation);
  for (int j = 0; j < kLatents && !noisy; ++j) m.z[j] = m.mu[j];
  decode(m, p);
  *error = compare(m);
  *kl = divergence(m);
}

BEATSCAN_EACH_WIDTH void decode_group(GroupMemory& m, const float* p, Lanes* error) {
  decode(m, p);
  *error = compare(m);
}

}  // namespace

GroupWorker::GroupWorker() : memory_(std::make_unique<GroupMemory>()) {}  // all 0, as the signals' ends stay
GroupWorker::~GroupWorker() = default;

void GroupWorker::load(const float* const* rows, int beats) {
  beats_ = beats;
  for (int lane = 0; lane < kLanes; ++lane) {
    memory_->live[lane] = lane < beats ? 1.0f : 0.0f;
    for (int t = 0; t < kPoints; ++t) memory_->x.at[0][t + 1][lane] = lane < beats ? rows[lane][t] : 0.0f;
  }
}

void GroupWorker::clear_sums() { std::fill_n(memory_->sums, kSums, Lanes{}); }

void GroupWorker::load_noise(const float* const* eps) {
  for (int j = 0; j < kLatents; ++j)
    for (int lane = 0; lane < kLanes; ++lane) memory_->eps[j][lane] = lane < beats_ ? eps[lane][j] : 0.0f;
}

void GroupWorker::add_gradients(const float* parameters, const float* const* eps, float kl_weight) {
  load_noise(eps);
  vae::add_gradients(*memory_, parameters, kl_weight);
}

void GroupWorker::read_sums(const float* parameters, float* sums) const {
  for (int i = 0; i < kSums; ++i) {
    sums[i] = 0;
    for (int lane = 0; lane < kLanes; ++lane) sums[i] += memory_->sums[i][lane];
  }
  float shares = 0;
  for (int i = 0; i < kAlpha; ++i) shares += alpha_share(i) * parameters[i] * sums[i];
  sums[kAlpha] = shares / alpha_divisor(parameters[kAlpha]);
}

void GroupWorker::score(const float* parameters, const float* const* eps, float* error, float* kl, float* latents) {
  Lanes errors, divergences;
  if (eps) load_noise(eps);
  score_group(*memory_, parameters, eps != nullptr, &errors, &divergences);
  for (int lane = 0; lane < beats_; ++lane) {
    error[lane] = errors[lane];
    kl[lane] = divergences[lane];
    for (int j = 0; j < kLatents; ++j) latents[lane * kLatents + j] = memory_->mu[j][lane];
  }
}

void GroupWorker::decoded_error(const float* parameters, const float* const* latents, float* error) {
  for (int j = 0; j < kLatents; ++j)
    for (int lane = 0; lane < kLanes; ++lane) memory_->z[j][lane] = lane < beats_ ? latents[lane][j] : 0.0f;
  Lanes errors;
  decode_group(*memory_, parameters, &errors);
  for (int lane = 0; lane < beats_; ++lane) error[lane] = errors[lane];
}

}  // namespace beatscan::vae
