// stages/model/vae_output.h — the results of a training and a model's scores of beat windows, on the host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace beatscan {

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
