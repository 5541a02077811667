// kernels/vae/vae_group.h — the fused step on the CPU for one group of up to 16 beats. vae_step.cpp divides the beats.
#pragma once

#include <memory>

#include "kernels/vae/vae_layout.h"

namespace beatscan::vae {

inline constexpr int kGroupBeats = 16;

struct GroupMemory;  // activations and their gradients: about 1 MB, which stays in the second-level cache

// Works on one group after the other, with memory of its own. Each thread has one.
class GroupWorker {
 public:
  GroupWorker();
  ~GroupWorker();

  // Loads up to 16 beats. Row i begins at rows[i], and its noise, below, at eps[i].
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

 private:
  void load_noise(const float* const* eps);
  std::unique_ptr<GroupMemory> memory_;
  int beats_ = 0;
};

}  // namespace beatscan::vae
