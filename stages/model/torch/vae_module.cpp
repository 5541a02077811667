#include "stages/model/torch/vae_module.h"

#include <torch/nn/functional/conv.h>
#include <torch/types.h>
#include <memory>
#include <string>

#include "stages/model/vae_output.h"

namespace beatscan {
namespace {

torch::nn::Conv1d convolution(std::int64_t in, std::int64_t out) {
  return torch::nn::Conv1d(torch::nn::Conv1dOptions(in, out, 3).padding(1));
}

// Convolves every channel with [1 2 1], with stride 2 and padding 1. Sums of slices are cheaper than a depthwise
// convolution, and their gradient is the same bits every time.
torch::Tensor blur_and_halve(const torch::Tensor& x) {
  using torch::indexing::None;
  using torch::indexing::Slice;
  const auto even = x.index({Slice(), Slice(), Slice(0, None, 2)});
  const auto odd = x.index({Slice(), Slice(), Slice(1, None, 2)});
  const auto odd_before = torch::constant_pad_nd(odd.index({Slice(), Slice(), Slice(0, -1)}), {1, 0});
  return odd_before + 2 * even + odd;
}

torch::Tensor upsample_twice(const torch::Tensor& x) {
  return x.unsqueeze(-1).expand({-1, -1, -1, 2}).reshape({x.size(0), x.size(1), -1});
}

}  // namespace

Swish::Swish() : alpha_(register_parameter("alpha", torch::ones(1))) {}

torch::Tensor Swish::forward(const torch::Tensor& x) { return x * torch::sigmoid(alpha_ * x); }

// The topology must have passed check_topology.
VaeModule::VaeModule(const VaeOptions& options, std::int64_t row_points)
    : row_points_(row_points), latents_(options.latents), restored_channels_(options.channels.back() / 2) {
  const auto depth = static_cast<std::int64_t>(options.channels.size());
  std::int64_t in = 1, index = 0;
  const auto add = [&](std::vector<torch::nn::Conv1d>& layers, std::int64_t out) {
    layers.push_back(register_module("conv" + std::to_string(index++), convolution(in, out)));
    in = out;
  };
  for (const int out : options.channels) add(encoder_, out);
  mu_head_ = register_module("convA", convolution(in, latents_));
  logvar_head_ = register_module("convB", convolution(in, latents_));
  restore_ = register_module("restore", torch::nn::Linear(latents_, restored_channels_ * (row_points >> depth)));
  in = restored_channels_;
  for (std::int64_t i = 0; i < depth; ++i) add(decoder_, i + 1 < depth ? in / 2 : 1);
  swish_ = register_module("sigma", std::make_shared<Swish>());
}

Posterior VaeModule::encode(const torch::Tensor& rows) {
  auto x = rows.unsqueeze(1);
  for (auto& layer : encoder_) x = blur_and_halve(swish_->forward(layer(x)));
  return {mu_head_(x).mean(2), logvar_head_(x).mean(2)};
}

torch::Tensor VaeModule::decode(const torch::Tensor& z) {
  auto x = restore_(z).view({z.size(0), restored_channels_, -1});
  for (std::size_t i = 0; i < decoder_.size(); ++i) {
    x = decoder_[i](upsample_twice(x));
    if (i + 1 < decoder_.size()) x = swish_->forward(x);
  }
  return x.squeeze(1);
}

torch::Tensor reconstruction_error(const torch::Tensor& decoded, const torch::Tensor& rows) {
  return (decoded - rows).square().mean(1);
}

torch::Tensor kl_divergence(const Posterior& posterior) {
  return -0.5 * (1 + posterior.logvar - posterior.mu.square() - posterior.logvar.exp()).sum(1);
}

torch::Tensor batch_loss(VaeModule& module, const torch::Tensor& rows, const torch::Tensor& eps, double kl_weight) {
  const auto posterior = module.encode(rows);
  const auto decoded = module.decode(posterior.mu + eps * torch::exp(0.5 * posterior.logvar));
  return reconstruction_error(decoded, rows).sum() + kl_weight * kl_divergence(posterior).sum();
}

}  // namespace beatscan
