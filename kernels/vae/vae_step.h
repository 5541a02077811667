// kernels/vae/vae_step.h — the published VAE's training step and scoring, fused: a beat's forward and backward pass in
// one go, never leaving the registers and the nearest memory. Formulas: stages/vae/vae.h; sizes and parameter vector:
// vae_layout.h.
//
//   rows        [B][256]  one beat each
//   parameters  [1618]    P, flat
//   eps         [n][2]    noise of the latents, in the order of the batch
// Sums over beats have a fixed order: the same input gives the same bits, on Cpu for any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"
#include "kernels/vae/vae_layout.h"

namespace beatscan {

// Gradient and loss of one batch, summed over its n beats.
//   indices    [n]     which rows
//   gradients  [1618]  d loss / d parameters
//   loss       [1]     sum of (mean squared error + kl_weight * KL divergence)
struct VaeBatch {
  std::span<const float> rows;
  std::span<const std::int32_t> indices;
  std::span<const float> eps;
};
void vae_gradients(Cpu&, const VaeBatch& batch, std::span<const float> parameters, double kl_weight,
                   std::span<float> gradients, std::span<float> loss);
void vae_gradients(Cuda&, const VaeBatch& batch, std::span<const float> parameters, double kl_weight,
                   std::span<float> gradients, std::span<float> loss);

struct VaeStepOptions {
  int batch_beats;  // the last batch of an epoch may be smaller
  double kl_weight;
  double learning_rate;   // of the first step;
  double rate_decay = 1;  // each further one has this times the rate of the one before
};

// Adam (Kingma and Ba 2015) with LibTorch's defaults.
inline constexpr double kAdamBeta1 = 0.9, kAdamBeta2 = 0.999, kAdamEpsilon = 1e-8;

// What Adam keeps from step to step, on the host.
struct AdamState {
  std::vector<float> mean, square;  // [1618] moments of the gradients
  std::int64_t steps = 0;           // done
};

// Training of `parameters` in place, epoch by epoch; keeps Adam's state. An epoch is a batch of all training beats that
// is cut into smaller ones: fill its indices (shuffled) and eps anew before each run. On Cuda all steps of an epoch are
// one CUDA graph, made by the first run.
template <class Context>
class VaeEpochs {
 public:
  // The memory of `epoch` and `parameters` must outlive this.
  VaeEpochs(Context&, const VaeBatch& epoch, const VaeStepOptions& options, std::span<float> parameters);
  ~VaeEpochs();
  VaeEpochs(VaeEpochs&&) = delete;

  // Sum over the beats of each one's loss before the step of its batch.
  double run();

  // With the parameters, all that later epochs depend on: set before a run, they are what they would have been.
  AdamState adam();
  void set_adam(const AdamState& state);

 private:
  struct Steps;  // what a back end keeps
  Context& context_;
  VaeBatch epoch_;
  VaeStepOptions options_;
  std::span<float> parameters_;
  std::unique_ptr<Steps> steps_;
};

// The n rows of a batch (every row where it has no indices), decoded from z = mu + eps exp(logvar / 2), or from z = mu
// where it has no eps.
//   error    [n]     mean squared error
//   kl       [n]     KL divergence
//   latents  [n][2]  mu
struct VaeScores {
  std::span<float> error, kl, latents;
};
std::int64_t scored_beats(const VaeBatch& batch);  // n
void vae_score(Cpu&, const VaeBatch& batch, std::span<const float> parameters, const VaeScores& scores);
void vae_score(Cuda&, const VaeBatch& batch, std::span<const float> parameters, const VaeScores& scores);

// error [B]: mean squared difference between each row and the decoding of its latents [B][2].
void vae_decoded_error(Cpu&, std::span<const float> rows, std::span<const float> latents,
                       std::span<const float> parameters, std::span<float> error);
void vae_decoded_error(Cuda&, std::span<const float> rows, std::span<const float> latents,
                       std::span<const float> parameters, std::span<float> error);

// The checks that both back ends make; the last returns n.
void check_adam(const AdamState& state);
void check_decoded_error(std::int64_t rows, std::int64_t latents, std::int64_t parameters, std::int64_t error);
std::int64_t checked_beats(const VaeBatch& batch, std::span<const float> parameters, const VaeScores& scores);

}  // namespace beatscan
