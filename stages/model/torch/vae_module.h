// stages/model/torch/vae_module.h — the model as a LibTorch module. The formulas are in vae.h.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace beatscan {

struct VaeOptions;

// x sigmoid(alpha x)
class Swish : public torch::nn::Module {
 public:
  Swish();
  torch::Tensor forward(const torch::Tensor& x);

 private:
  torch::Tensor alpha_;
};

struct Posterior {
  torch::Tensor mu, logvar;  // [beats, Z]
};

// The parameters have the published names:
//   conv0, conv1, …   the convolutions of the encoder, then those of the decoder
//   convA, convB      the heads for mu and logvar
//   restore           the decoder's linear layer
//   sigma.alpha       swish
class VaeModule : public torch::nn::Module {
 public:
  VaeModule(const VaeOptions& options, std::int64_t row_points);

  Posterior encode(const torch::Tensor& rows);   // [beats, D]
  torch::Tensor decode(const torch::Tensor& z);  // [beats, Z] -> [beats, D]
  std::int64_t row_points() const { return row_points_; }
  std::int64_t latents() const { return latents_; }

 private:
  std::int64_t row_points_, latents_, restored_channels_;
  std::vector<torch::nn::Conv1d> encoder_, decoder_;
  torch::nn::Conv1d mu_head_{nullptr}, logvar_head_{nullptr};
  torch::nn::Linear restore_{nullptr};
  std::shared_ptr<Swish> swish_;
};

// Return the terms of the loss, one value for each beat.
torch::Tensor reconstruction_error(const torch::Tensor& decoded, const torch::Tensor& rows);
torch::Tensor kl_divergence(const Posterior& posterior);

// Returns the loss of a batch for given noise eps [beats, Z]. It is a sum over the batch's beats.
torch::Tensor batch_loss(VaeModule& module, const torch::Tensor& rows, const torch::Tensor& eps, double kl_weight);

}  // namespace beatscan
