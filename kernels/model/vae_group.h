// kernels/model/vae_group.h — the fused step on the CPU for one group of up to 16 beats. vae_step.cpp divides the
// beats.
#pragma once

#include <memory>

#include "kernels/model/vae_layout.h"
#include "kernels/runtime/vectors.h"

namespace beatscan::vae {

inline constexpr int kGroupBeats = 16;

// Works on one group after the other, with memory of its own. Each thread has one. As many beats as a vector has floats
// are processed in parallel; their activations take 64 kB for each of them. The width does not change the bits.
class GroupWorker {
 public:
  explicit GroupWorker(int bits = vector_bits());
  ~GroupWorker();
  GroupWorker(GroupWorker&&) = delete;

  // Chooses up to 16 beats. Row i begins at rows[i], and its noise, below, at eps[i]; both are read by the calls that
  // follow.
  void load(const float* const* rows, int beats);

  void clear_sums();
  void add_gradients(const float* parameters, const float* const* eps, float kl_weight);
  // Writes the sums over all groups since clear_sums.
  //   sums  [kSums]
  void read_sums(const float* parameters, float* sums) const;

  // Scores the group's beats. If eps is nullptr, they are decoded from z = mu.
  //   error, kl  [beats]
  //   latents    [beats][kLatents]
  void score(const float* parameters, const float* const* eps, float* error, float* kl, float* latents);
  // Computes the mean squared difference between each beat and the decoding of latents[i].
  //   error  [beats]
  void decoded_error(const float* parameters, const float* const* latents, float* error);
  // Decodes the latents of up to 16 beats. Forgets the rows that were loaded.
  //   latents  [beats][kLatents]
  //   rows     [beats][kPoints]
  void decode(const float* parameters, const float* const* latents, int beats, float* rows);

 private:
  struct Widths;
  std::unique_ptr<Widths> widths_;
};

}  // namespace beatscan::vae
