// kernels/vae/vae_layout.h — the published model's sizes, and where its parameters lie in one flat vector.
//
// The fused step (vae_step.h) is written for one topology: channels {4, 8, 16}, Z = 2, D = 256. The vector holds the
// parameters in the order in which a beat meets them, without gaps. Names are those of the LibTorch module, and shapes
// LibTorch's: a convolution's weight is [out][in][3], restore.weight [8 * 32][Z].
#pragma once

#include "kernels/runtime/portable.h"

namespace beatscan::vae {

inline constexpr int kPoints = 256;         // D
inline constexpr int kLatents = 2;          // Z
inline constexpr int kRestored = 8;         // channels after the decoder's linear layer
inline constexpr int kRestoredPoints = 32;  // D / 2^3, also what the encoder's last blur leaves
inline constexpr int kTaps = 3;

struct Convolution {
  int in, out;
  int weight, bias;  // offsets in the vector
  BEATSCAN_HOST_DEVICE constexpr int weights() const { return in * out * kTaps; }
  BEATSCAN_HOST_DEVICE constexpr int end() const { return bias + out; }
};
constexpr Convolution convolution_at(int offset, int in, int out) {
  return {in, out, offset, offset + in * out * kTaps};
}

inline constexpr Convolution kConv0 = convolution_at(0, 1, 4);
inline constexpr Convolution kConv1 = convolution_at(kConv0.end(), 4, 8);
inline constexpr Convolution kConv2 = convolution_at(kConv1.end(), 8, 16);
inline constexpr Convolution kMuHead = convolution_at(kConv2.end(), 16, kLatents);
inline constexpr Convolution kLogvarHead = convolution_at(kMuHead.end(), 16, kLatents);
inline constexpr int kRestoreWeight = kLogvarHead.end();
inline constexpr int kRestoreRows = kRestored * kRestoredPoints;
inline constexpr int kRestoreBias = kRestoreWeight + kRestoreRows * kLatents;
inline constexpr Convolution kConv3 = convolution_at(kRestoreBias + kRestoreRows, kRestored, 4);
inline constexpr Convolution kConv4 = convolution_at(kConv3.end(), 4, 2);
inline constexpr Convolution kConv5 = convolution_at(kConv4.end(), 2, 1);
inline constexpr int kAlpha = kConv5.end();
inline constexpr int kParameters = kAlpha + 1;
static_assert(kParameters == 1618);

struct Parameter {
  const char* name;
  int offset, size;
};
inline constexpr Parameter kParameterTable[] = {
    {"conv0.weight", kConv0.weight, kConv0.weights()},
    {"conv0.bias", kConv0.bias, kConv0.out},
    {"conv1.weight", kConv1.weight, kConv1.weights()},
    {"conv1.bias", kConv1.bias, kConv1.out},
    {"conv2.weight", kConv2.weight, kConv2.weights()},
    {"conv2.bias", kConv2.bias, kConv2.out},
    {"convA.weight", kMuHead.weight, kMuHead.weights()},
    {"convA.bias", kMuHead.bias, kMuHead.out},
    {"convB.weight", kLogvarHead.weight, kLogvarHead.weights()},
    {"convB.bias", kLogvarHead.bias, kLogvarHead.out},
    {"restore.weight", kRestoreWeight, kRestoreRows* kLatents},
    {"restore.bias", kRestoreBias, kRestoreRows},
    {"conv3.weight", kConv3.weight, kConv3.weights()},
    {"conv3.bias", kConv3.bias, kConv3.out},
    {"conv4.weight", kConv4.weight, kConv4.weights()},
    {"conv4.bias", kConv4.bias, kConv4.out},
    {"conv5.weight", kConv5.weight, kConv5.weights()},
    {"conv5.bias", kConv5.bias, kConv5.out},
    {"sigma.alpha", kAlpha, 1},
};

// Alpha's gradient costs nothing, because swish(a) = f(alpha a) / alpha is homogeneous: d swish / d alpha is
// (a swish'(a) - swish(a)) / alpha. Summed over a layer's points against the gradient g behind swish, a swish'(a) g
// gives <w, dw> + <b, db> of the convolution before it (a = w * x + b), and swish(a) g gives <w, dw> of the linear map
// behind it. Over all layers most of it cancels, and
//   alpha dL/dalpha = sum over parameters of alpha_share * parameter * its gradient.
BEATSCAN_HOST_DEVICE constexpr float alpha_share(int parameter) {
  const auto within = [&](int begin, int end) { return begin <= parameter && parameter < end; };
  if (within(kConv0.weight, kConv0.end()) || within(kConv1.bias, kConv1.end()) || within(kConv2.bias, kConv2.end()) ||
      within(kConv3.weight, kConv3.end()) || within(kConv4.bias, kConv4.end()))
    return 1.0f;
  if (within(kMuHead.weight, kMuHead.bias) || within(kLogvarHead.weight, kLogvarHead.bias) ||
      within(kConv5.weight, kConv5.bias))
    return -1.0f;
  return 0.0f;
}

// Divides that sum. It is 0 where alpha is, and so comes out as 0 instead of NaN.
BEATSCAN_HOST_DEVICE constexpr float alpha_divisor(float alpha) {
  constexpr float kLeast = 1e-6f;
  return alpha >= 0 ? (alpha > kLeast ? alpha : kLeast) : (alpha < -kLeast ? alpha : -kLeast);
}

// What is summed over beats in one go: the gradient in the parameters' order, then the loss.
inline constexpr int kLossSlot = kParameters;
inline constexpr int kSums = kParameters + 1;

}  // namespace beatscan::vae
