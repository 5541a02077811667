#include "kernels/classify/state_chain.h"

#include "kernels/classify/chain_row.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {
namespace {

// Writes the weights of each beat's states given the beats up to it.
void forward_pass(const ChainWeights& weights, const double* likelihood, std::int64_t beats, double* found) {
  ChainRow own{{1, 1, 1}};
  for (std::int64_t i = 0; i < beats; ++i) {
    if (i > 0) own = step(weights, own);
    own = normalised(product(own, row_at(likelihood, i)));
    set_row(found, i, own);
  }
}

// Writes those given the beats after it.
void backward_pass(const ChainWeights& weights, const double* likelihood, std::int64_t beats, double* found) {
  ChainRow own{{1, 1, 1}};
  for (std::int64_t i = beats; i-- > 0;) {
    set_row(found, i, own);
    own = normalised(step_back(weights, product(own, row_at(likelihood, i))));
  }
}

}  // namespace

void chain_posteriors(Cpu& cpu, const ChainWeights& weights, std::span<double> states) {
  BEATSCAN_EXPECTS(states.size() % kChainStates == 0, "chain_posteriors: bad shape");
  const std::int64_t beats = std::ssize(states) / kChainStates;
  Buffer<double, Cpu> before(cpu, std::ssize(states)), behind(cpu, std::ssize(states));
  run_together([&] { forward_pass(weights, states.data(), beats, before.data()); },
               [&] { backward_pass(weights, states.data(), beats, behind.data()); });
  parallel_for(cpu, beats, 8192, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      set_row(states.data(), i, normalised(product(row_at(before.data(), i), row_at(behind.data(), i))));
  });
}

}  // namespace beatscan
