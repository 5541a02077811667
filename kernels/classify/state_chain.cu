#include "kernels/classify/chain_row.h"
#include "kernels/classify/state_chain.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan {
namespace {

constexpr int kParts = 256;  // of the chain, a thread each

struct ChainMatrix {
  ChainRow rows[kChainStates];
};

// A block finds the posteriors. A thread multiplies the matrices of its part: M of a part takes the weights before it
// to those at its end, and the weights behind its end to those before it. With these, one thread goes forward from part
// to part, and one goes back. Then each thread goes through its own part.
__global__ void chain_posteriors_kernel(const ChainWeights weights, std::int64_t beats, double* states,
                                        double* before) {
  __shared__ ChainMatrix matrices[kParts];
  __shared__ ChainRow starts[kParts], ends[kParts];
  const std::int64_t size = (beats + kParts - 1) / kParts;
  const int part = static_cast<int>(threadIdx.x);
  const std::int64_t first = min(part * size, beats), last = min(first + size, beats);

  ChainMatrix matrix{{{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}}};
  for (std::int64_t i = first; i < last; ++i) {
    const ChainRow own = row_at(states, i);
    double sum = 0;
    for (ChainRow& row : matrix.rows) {
      row = product(i > 0 ? step(weights, row) : row, own);
      for (const double value : row.of) sum += value;
    }
    for (ChainRow& row : matrix.rows)
      for (double& value : row.of) value /= sum;
  }
  matrices[part] = matrix;
  __syncthreads();

  if (part == 0) {
    ChainRow own{{1, 1, 1}};
    for (int p = 0; p < kParts; ++p) {
      starts[p] = own;
      ChainRow next{};
      for (int a = 0; a < kChainStates; ++a)
        for (int b = 0; b < kChainStates; ++b) next.of[b] += own.of[a] * matrices[p].rows[a].of[b];
      own = normalised(next);
    }
  } else if (part == 32) {
    ChainRow own{{1, 1, 1}};
    for (int p = kParts; p-- > 0;) {
      ends[p] = own;
      ChainRow next{};
      for (int a = 0; a < kChainStates; ++a)
        for (int b = 0; b < kChainStates; ++b) next.of[a] += matrices[p].rows[a].of[b] * own.of[b];
      own = normalised(next);
    }
  }
  __syncthreads();

  ChainRow own = starts[part];
  for (std::int64_t i = first; i < last; ++i) {
    own = normalised(product(i > 0 ? step(weights, own) : own, row_at(states, i)));
    set_row(before, i, own);
  }
  own = ends[part];
  for (std::int64_t i = last; i-- > first;) {
    const ChainRow likelihood = row_at(states, i);
    set_row(states, i, normalised(product(row_at(before, i), own)));
    own = normalised(step_back(weights, product(own, likelihood)));
  }
}

}  // namespace

void chain_posteriors(Cuda& cuda, const ChainWeights& weights, std::span<double> states) {
  BEATSCAN_EXPECTS(states.size() % kChainStates == 0, "chain_posteriors: bad shape");
  const auto beats = static_cast<std::int64_t>(states.size()) / kChainStates;
  if (beats == 0) return;
  Buffer<double, Cuda> before(cuda, beats * kChainStates);
  launch(cuda, {1, kParts}, chain_posteriors_kernel, weights, beats, states.data(), before.data());
}

}  // namespace beatscan
