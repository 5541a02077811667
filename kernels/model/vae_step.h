// kernels/model/vae_step.h — the published VAE's training step and scoring, fused: a beat's forward and backward pass
// are one piece of work that stays in registers and in the nearest memory. The formulas are in stages/model/vae.h, the
// sizes and the parameter vector in vae_layout.h.
//
//   rows        [B][256]  one beat each
//   parameters  [1618]    P, flat
//   eps         [n][2]    noise of the latents, in the order of the batch
// Sums over beats have a fixed order: the same input gives the same bits, on Cpu for any number of threads. A wrong
// shape throws ErrorKind::internal.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/model/vae_layout.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"

namespace beatscan {

struct VaeBatch {
  std::span<const float> rows;
  std::span<const std::int32_t> indices;  // [n] the rows of the batch
  std::span<const float> eps;
};
// Computes the gradient and the loss of one batch, summed over its n beats.
//   gradients  [1618]  d loss / d parameters
//   loss       [1]     sum of (mean squared error + kl_weight * KL divergence)
void vae_gradients(Cpu&, const VaeBatch& batch, std::span<const float> parameters, double kl_weight,
                   std::span<float> gradients, std::span<float> loss);
void vae_gradients(Cuda&, const VaeBatch& batch, std::span<const float> parameters, double kl_weight,
                   std::span<float> gradients, std::span<float> loss);

struct VaeStepOptions {
  int batch_beats;  // the last batch of an epoch may be smaller
  double kl_weight;
  double learning_rate;   // the rate of the first step
  double rate_decay = 1;  // factor from one step's learning rate to the next
};

// The state that Adam keeps from step to step, on the host.
struct AdamState {
  std::vector<float> mean, square;  // [1618] moments of the gradients
  std::int64_t steps = 0;           // number of steps done
};

// Trains `parameters` in place, epoch by epoch, and keeps Adam's state. An epoch is a batch of all training beats,
// which is cut into smaller ones. The caller fills its indices (shuffled) and eps again before each run. On Cuda an
// epoch is one launch, or its steps are CUDA graphs, which the context keeps for other trainings (vae_step.cu).
template <class Context>
class VaeEpochs {
 public:
  // The memory of `epoch` and `parameters` must outlive this object.
  VaeEpochs(Context&, const VaeBatch& epoch, const VaeStepOptions& options, std::span<float> parameters);
  ~VaeEpochs();
  VaeEpochs(VaeEpochs&&) = delete;

  // Runs one epoch. Returns the sum over the beats of each one's loss before the step of its batch.
  double run();

  // Later epochs depend only on this state and the parameters: with both restored, training continues with the same
  // bits.
  AdamState adam();
  void set_adam(const AdamState& state);

 private:
  struct Steps;  // the memory that a back end keeps
  Context& context_;
  VaeBatch epoch_;
  VaeStepOptions options_;
  std::span<float> parameters_;
  std::unique_ptr<Steps> steps_;
};

struct VaeScores {
  std::span<float> error;    // [n] mean squared error
  std::span<float> kl;       // [n] KL divergence
  std::span<float> latents;  // [n][2] mu
};
// Returns n, the number of beats of a batch that are scored: those of its indices, or every row if it has no indices.
std::int64_t scored_beats(const VaeBatch& batch);
// Scores the n rows of a batch, decoded from z = mu + eps exp(logvar / 2), or from z = mu if the batch has no eps.
void vae_score(Cpu&, const VaeBatch& batch, std::span<const float> parameters, const VaeScores& scores);
void vae_score(Cuda&, const VaeBatch& batch, std::span<const float> parameters, const VaeScores& scores);

// Computes the mean squared difference between each row and the decoding of its latents.
//   latents  [B][2]
//   error    [B]
void vae_decoded_error(Cpu&, std::span<const float> rows, std::span<const float> latents,
                       std::span<const float> parameters, std::span<float> error);
void vae_decoded_error(Cuda&, std::span<const float> rows, std::span<const float> latents,
                       std::span<const float> parameters, std::span<float> error);

// Decodes latents, only on the host: it is meant for a few rows.
//   latents  [n][2]
//   rows     [n][256]
void vae_decode(std::span<const float> latents, std::span<const float> parameters, std::span<float> rows);

// Make the checks that both back ends share. The last returns n.
void check_batch(const VaeBatch& batch, std::span<const float> parameters);
void check_adam(const AdamState& state);
void check_decoded_error(std::int64_t rows, std::int64_t latents, std::int64_t parameters, std::int64_t error);
std::int64_t checked_beats(const VaeBatch& batch, std::span<const float> parameters, const VaeScores& scores);

}  // namespace beatscan
