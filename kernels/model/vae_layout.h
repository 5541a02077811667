// kernels/model/vae_layout.h — the published model's sizes, and the places of its parameters in one flat vector.
//
// The fused step (vae_step.h) is written for one topology: channels {4, 8, 16}, Z = 2, D = 256. The vector holds the
// parameters in the order in which a beat meets them, without gaps. Names and shapes are those of the LibTorch module:
// a convolution's weight is [out][in][3], and restore.weight is [8 * 32][Z].
#pragma once

#include "kernels/runtime/portable.h"

namespace beatscan::vae {

inline constexpr int kPoints = 256;         // D
inline constexpr int kLatents = 2;          // Z
inline constexpr int kRestored = 8;         // channels after the decoder's linear layer
inline constexpr int kRestoredPoints = 32;  // D / 2^3, also the points that the encoder's last blur leaves
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

// Returns a parameter's share in the gradient of alpha, which follows from the other gradients:
//   alpha dL/dalpha = sum over parameters of alpha_share * parameter * its gradient
// The reason: swish(a) = f(alpha a) / alpha is homogeneous, so d swish / d alpha is (a swish'(a) - swish(a)) / alpha.
// Let g be the gradient after swish. Over a layer's points, a swish'(a) g sums to <w, dw> + <b, db> of the convolution
// before it (a = w * x + b), and swish(a) g sums to <w, dw> of the linear map after it. Over all layers most of this
// cancels.
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

// Returns the divisor of that sum: alpha, but not closer to 0 than 1e-6. At alpha = 0 the sum is 0, too, and the
// quotient is 0 instead of NaN.
BEATSCAN_HOST_DEVICE constexpr float alpha_divisor(float alpha) {
  constexpr float kLeast = 1e-6f;
  return alpha >= 0 ? (alpha > kLeast ? alpha : kLeast) : (alpha < -kLeast ? alpha : -kLeast);
}

// The slots that are summed over beats: the gradient in the parameters' order, then the loss.
inline constexpr int kLossSlot = kParameters;
inline constexpr int kSums = kParameters + 1;

}  // namespace beatscan::vae
