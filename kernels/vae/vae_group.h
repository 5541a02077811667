// kernels/vae/vae_group.h — the fused step on the CPU for one group of up to 16 beats; vae_step.cpp divides the work.
#pragma once

#include <memory>

#include "kernels/vae/vae_layout.h"

namespace beatscan::vae {

inline constexpr int kGroupBeats = 16;

struct GroupMemory;  // activations and their gradients, about 1 MB: stays in the second-level cache

// Works on groups one after the other, with memory of its own: one a thread.
class GroupWorker {
 public:
  GroupWorker();
  ~GroupWorker();

  // Up to 16 beats: row i begins at rows[i], its noise (below) at eps[i].
  void load(const float* const* rows, int beats);

  void clear_sums();
  void add_gradients(const float* parameters, const float* const* eps, float kl_weight);
  void read_sums(const float* parameters, float* sums) const;  // [kSums] over all groups since clear_sums

  // eps: nullptr to decode from z = mu. Results: [beats], [beats], [beats][kLatents].
  void score(const float* parameters, const float* const* eps, float* error, float* kl, float* latents);
  // Mean squared difference to the decoding of latents[i], [beats].
  void decoded_error(const float* parameters, const float* const* latents, float* error);

 private:
  void load_noise(const float* const* eps);
  std::unique_ptr<GroupMemory> memory_;
  int beats_ = 0;
};

}  // namespace beatscan::vae
