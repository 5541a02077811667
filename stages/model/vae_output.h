// stages/model/vae_output.h — what a variational autoencoder is trained with, and what it gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace beatscan {

// The engine that computes the training steps and the scores.
enum class VaeEngine {
  automatic,  // fused if it covers the topology, else autograd
  fused,      // kernels/model/vae_step.h, in one go
  autograd    // LibTorch, operation by operation
};

struct VaeOptions {
  std::vector<int> channels = {4, 8, 16};  // channels of the encoder's convolutions, each twice the one before
  int latents = 2;                         // Z
  double kl_weight = 0.01;                 // weight of the KL divergence against the mean squared error
  double learning_rate = 0.03;             // Adam's learning rate in the first step; it falls exponentially
  double last_learning_rate = 1e-3;        // Adam's learning rate in the last step
  int batch_beats = 64;                    // most beats of a batch; the last batch of an epoch may be smaller
  int least_steps = 500;                   // a short recording is trained on in smaller batches to have so many steps
  int most_steps = 500;                    // a long recording gets fewer epochs, to have no more; 0: no limit
  std::optional<std::int64_t> epochs;      // how often training iterates over its rows; nothing: see training_plan
  // The fewest usable beats around R peaks that a model is trained on. With fewer beats the model explains less of the
  // variance beyond the mean beat: a half in windows with 35 to 49 beats, and 59 % with 50 to 99.
  int least_beats = 50;
  double train_fraction = 0.75;             // share of trainable rows to train on; the rest is the test set
  int generated_beats = 25;                 // number of beats decoded from N(0, I) after training
  VaeEngine engine = VaeEngine::automatic;  // what computes the steps
};

// One parameter of the model, on the host.
struct NamedArray {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

// The use of a row; `none` if it is not trainable (Rows::trainable).
enum class Split : std::uint8_t { none, train, test };

struct VaeTraining {
  std::vector<double> loss_per_epoch;  // mean loss of the training beats, each before the step of its batch
  double test_loss = 0;                // mean loss of the test beats with fresh noise; NaN without test beats
  std::vector<Split> split;            // [B]
  double mean_beat_error = 0;          // mean squared error of the test rows against the mean training row: what a
                                       // model without latents reaches; without test rows, of the training rows
  std::vector<float> generated;        // [generated_beats][D]
};

// The model's scores of rows, on the host.
struct RowScores {
  std::vector<float> reconstruction_error;  // [B] mean squared error over D, decoded from z = mu
  std::vector<float> kl;                    // [B] KL divergence
  std::vector<float> latents;               // [B][Z] mu
};

}  // namespace beatscan
