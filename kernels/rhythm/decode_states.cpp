#include "kernels/rhythm/decode_states.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/rhythm/state_row.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/exponential.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/vectors.h"

namespace beatscan {

void check_decoder(const StateDecoder& decoder) {
  const std::size_t states = decoder.prior.size();
  BEATSCAN_EXPECTS(0 < states && states <= kMostStates && decoder.training_prior.size() == states,
                   "decode_states: bad number of states");
}

namespace {

// A chain of kMostStates states, those that the model lacks included. A beat's likelihoods of the states are
// exp(temperature log_p), which is the same in all rounds, times those of the offset. They are taken over their
// greatest, which changes no posterior.
struct StickyChain {
  StateValues prior;         // 0 of states that the model lacks
  StateValues stays, drawn;  // the probability that a state continues, or is drawn, times the likelihood of the offset
  double offset[kMostStates], change[kMostStates], goes_on[kMostStates];  // Viterbi: log probabilities

  StickyChain(const StateDecoder& decoder, std::span<const double> prior);
};

StickyChain::StickyChain(const StateDecoder& decoder, std::span<const double> of_prior)
    : prior{}, stays{}, drawn{}, offset{}, change{}, goes_on{} {
  const std::size_t states = of_prior.size();
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < states; ++s) {
    offset[s] = (1 - decoder.balance) * std::log(of_prior[s]) - std::log(decoder.training_prior[s]);
    most = std::max(most, offset[s]);
  }
  for (std::size_t s = 0; s < states; ++s) {
    const double anew = (1 - decoder.stay) * of_prior[s],
                 likelihood = std::exp(decoder.temperature * (offset[s] - most));
    prior[s] = static_cast<float>(of_prior[s] * likelihood);
    stays[s] = static_cast<float>(decoder.stay * likelihood);
    drawn[s] = static_cast<float>(anew * likelihood);
    change[s] = std::log(anew);
    goes_on[s] = std::log(decoder.stay + anew);
  }
  std::fill(change + states, change + kMostStates, -std::numeric_limits<double>::infinity());
}

// Estimates the prior again.
//   sums  [kMostStates] of the posteriors of all beats
void estimate_prior(const StateDecoder& decoder, std::span<const double> sums, std::vector<double>& prior) {
  for (std::size_t s = 0; s < prior.size(); ++s) prior[s] = decoder.prior_beats * decoder.prior[s] + sums[s];
  const double all = std::accumulate(prior.begin(), prior.end(), 0.0);
  for (double& p : prior) p /= all;
}

// Writes the likelihoods of each beat's states by log_p, over that of its likeliest one.
struct WriteLikelihoods {
  template <int W>
  BEATSCAN_INLINE static void run(const StateValues* log_p, std::int64_t count, float temperature, StateValues* found) {
    for (std::int64_t i = 0; i < count; ++i) {
      auto row = load_row<W>(log_p[i].data());
      const float most = greatest(row);
      for (Floats<W>& values : row.at) values = exponential<W>(temperature * (values - most));
      store_row(row, found[i].data());
    }
  }
};

// What is computed of the posteriors of a round. Row i of `passed` has the probabilities of beat i given the beats up
// to it in the first half of the beats, and the weights given the beats after it in the second half.
struct PosteriorRound {
  const StickyChain* chain;
  const StateValues* likelihood;  // [K]
  std::int64_t beats;
  StateValues* passed;                      // [K]
  std::array<double, kMostStates> sums[2];  // of the posteriors of the halves
};

// Goes through the beats from both ends at once. Neither pass waits for the other's result of a beat, so that a
// processor works on both. Each stores its rows up to the middle, and from there on meets those of the other.
template <int W>
struct TwoPasses {
  StateRow<W> stays, drawn, forward, backward;

  // Begins with the first beat and behind the last one.
  BEATSCAN_INLINE TwoPasses(const StickyChain& chain, const StateValues& likelihood)
      : stays(load_row<W>(chain.stays.data())),
        drawn(load_row<W>(chain.drawn.data())),
        forward(load_row<W>(chain.prior.data())) {
    multiply_forward(likelihood);
    for (Floats<W>& values : backward.at) values = Floats<W>{} + 1.0f;
  }
  BEATSCAN_INLINE void multiply_forward(const StateValues& likelihood) {
    StateRow<W> row = load_row<W>(likelihood.data());
    for (int v = 0; v < StateRow<W>::kVectors; ++v) row.at[v] *= forward.at[v];
    const float scale = 1 / sum_of_row(row);
    for (int v = 0; v < StateRow<W>::kVectors; ++v) forward.at[v] = row.at[v] * scale;
  }
  // Goes on to a beat: the probabilities of its states given the beats up to it.
  BEATSCAN_INLINE void step(const StateValues& likelihood) {
    for (int v = 0; v < StateRow<W>::kVectors; ++v) forward.at[v] = stays.at[v] * forward.at[v] + drawn.at[v];
    multiply_forward(likelihood);
  }
  // Goes back beyond a beat: the weights of the beat before given the beats after that one.
  BEATSCAN_INLINE void step_back(const StateValues& likelihood) {
    StateRow<W> row = load_row<W>(likelihood.data()), anew;
    for (int v = 0; v < StateRow<W>::kVectors; ++v) {
      row.at[v] *= backward.at[v];
      anew.at[v] = row.at[v] * drawn.at[v];
      row.at[v] *= stays.at[v];
    }
    const float drawn_sum = sum_of_row(anew), scale = 1 / (drawn_sum + sum_of_row(row));
    for (int v = 0; v < StateRow<W>::kVectors; ++v) backward.at[v] = (row.at[v] + drawn_sum) * scale;
  }
  // Adds the posterior of a beat to the sums.
  BEATSCAN_INLINE static void add(StateRow<W> row, const StateValues& passed, double* sums) {
    const auto other = load_row<W>(passed.data());
    for (int v = 0; v < StateRow<W>::kVectors; ++v) row.at[v] *= other.at[v];
    const float scale = 1 / sum_of_row(row);
    for (int v = 0; v < StateRow<W>::kVectors; ++v) {
      const auto p = widened<W>(row.at[v] * scale);
      double* own = sums + v * W;
      store<W>(own, load<W>(own) + p.low);
      store<W>(own + W / 2, load<W>(own + W / 2) + p.high);
    }
  }
};

struct RunRound {
  template <int W>
  BEATSCAN_INLINE static void run(PosteriorRound* round) {
    const std::int64_t beats = round->beats, middle = (beats + 1) / 2;
    TwoPasses<W> passes(*round->chain, round->likelihood[0]);
    for (std::int64_t i = 0, j = beats - 1; i < middle; ++i, --j) {
      if (i > 0) passes.step(round->likelihood[i]);
      store_row(passes.forward, round->passed[i].data());
      if (j < middle) break;
      store_row(passes.backward, round->passed[j].data());
      passes.step_back(round->likelihood[j]);
    }
    for (std::int64_t i = middle, j = middle - 1; j >= 0; ++i, --j) {
      if (i < beats) {
        passes.step(round->likelihood[i]);
        passes.add(passes.forward, round->passed[i], round->sums[0].data());
      }
      passes.add(passes.backward, round->passed[j], round->sums[1].data());
      passes.step_back(round->likelihood[j]);
    }
  }
};

// The scores of a beat's states, in vectors.
template <int W>
struct ScoreRow {
  static constexpr int kLanes = W / 2, kVectors = kMostStates / kLanes;
  Doubles<W> at[kVectors];
};
template <int W>
BEATSCAN_INLINE ScoreRow<W> load_scores(const double* from) {
  ScoreRow<W> row;
  for (int v = 0; v < ScoreRow<W>::kVectors; ++v) row.at[v] = load<W>(from + v * ScoreRow<W>::kLanes);
  return row;
}
template <int W>
BEATSCAN_INLINE double greatest_score(ScoreRow<W> row) {
  for (int half = ScoreRow<W>::kVectors / 2; half > 0; half /= 2)
    for (int v = 0; v < half; ++v) row.at[v] = TakeGreater::of(row.at[v], row.at[v + half]);
  double found[ScoreRow<W>::kLanes];
  store<W>(found, row.at[0]);
  for (int half = ScoreRow<W>::kLanes / 2; half > 0; half /= 2)
    for (int lane = 0; lane < half; ++lane) found[lane] = TakeGreater::of(found[lane], found[lane + half]);
  return found[0];
}

// How a beat's most probable sequences came to its states: kContinued of a state that continues, and kBest of the
// states that were the most probable ones of the beat before.
constexpr float kContinued = 1, kBest = 2;

// Finds the last state of the most probable sequence, and how sequences came to each state.
struct ViterbiPass {
  const StickyChain* chain;
  const StateValues* log_p;  // [K]
  std::int64_t beats;
  double temperature;
  StateValues* came;                      // [K] sums of the marks; that of the first beat is not written
  std::array<double, kMostStates> score;  // of the first beat, and then of the last one
};

struct RunViterbi {
  template <int W>
  BEATSCAN_INLINE static void run(ViterbiPass* pass) {
    using Row = ScoreRow<W>;
    auto score = load_scores<W>(pass->score.data());
    const auto change = load_scores<W>(pass->chain->change), goes_on = load_scores<W>(pass->chain->goes_on),
               offset = load_scores<W>(pass->chain->offset);
    for (std::int64_t i = 1; i < pass->beats; ++i) {
      const double from = greatest_score(score);
      const auto log_p = load_row<W>(pass->log_p[i].data());
      for (int v = 0; v < StateRow<W>::kVectors; ++v) {
        const auto own = widened<W>(log_p.at[v]);
        TwoDoubles<W> mark;
        step<W>(from, score.at[2 * v], change.at[2 * v], goes_on.at[2 * v],
                pass->temperature * (own.low + offset.at[2 * v]), mark.low);
        step<W>(from, score.at[2 * v + 1], change.at[2 * v + 1], goes_on.at[2 * v + 1],
                pass->temperature * (own.high + offset.at[2 * v + 1]), mark.high);
        store<W>(pass->came[i].data() + v * W, rounded<W>(mark));
      }
    }
    for (int v = 0; v < Row::kVectors; ++v) store<W>(pass->score.data() + v * Row::kLanes, score.at[v]);
  }
  template <int W>
  BEATSCAN_INLINE static void step(double from, Doubles<W>& score, Doubles<W> change, Doubles<W> goes_on,
                                   Doubles<W> own, Doubles<W>& mark) {
    constexpr Doubles<W> kNone{};
    const Doubles<W> drawn = from + change, same = score + goes_on;
    mark = (score == from ? kNone + double{kBest} : kNone) + (same >= drawn ? kNone + double{kContinued} : kNone);
    score = (same >= drawn ? same : drawn) + own;
  }
};

// Returns the state of the beat before, from which the most probable sequence came to a state.
int state_before(const StateValues& came, int state) {
  if (came[state] == kContinued || came[state] == kContinued + kBest) return state;
  int best = 0;
  while (best + 1 < kMostStates && came[best] < kBest) ++best;
  return best;
}

// `came` is memory for K rows.
std::vector<int> most_probable_path(std::span<const StateValues> log_p, const StickyChain& chain,
                                    const StateDecoder& decoder, std::span<const double> prior,
                                    std::span<StateValues> came) {
  std::vector<int> path(log_p.size());
  ViterbiPass pass{&chain, log_p.data(), std::ssize(log_p), decoder.temperature, came.data(), {}};
  pass.score.fill(-std::numeric_limits<double>::infinity());
  for (std::size_t s = 0; s < prior.size(); ++s)
    pass.score[s] = std::log(prior[s]) + decoder.temperature * (log_p[0][s] + chain.offset[s]);
  OnProcessor<RunViterbi>::run(&pass);
  path.back() = static_cast<int>(std::ranges::max_element(pass.score) - pass.score.begin());
  for (std::size_t i = path.size() - 1; i > 0; --i) path[i - 1] = state_before(came[i], path[i]);
  return path;
}

}  // namespace

DecodedStates decode_states(Cpu& cpu, std::span<const StateValues> log_p, const StateDecoder& decoder) {
  check_decoder(decoder);
  constexpr std::int64_t kGrain = 8192;  // beats that are worth a thread
  const std::int64_t beats = std::ssize(log_p);
  DecodedStates decoded{decoder.prior, {}, std::vector<double>(beats)};
  if (beats == 0) return decoded;
  Buffer<StateValues, Cpu> likelihood(cpu, decoder.rounds > 0 ? beats : 0), passed(cpu, beats);
  if (decoder.rounds > 0)
    parallel_for(cpu, beats, kGrain, [&](std::int64_t first, std::int64_t last) {
      OnProcessor<WriteLikelihoods>::run(&log_p[first], last - first, static_cast<float>(decoder.temperature),
                                         likelihood.data() + first);
    });
  for (int done = 0; done < decoder.rounds; ++done) {
    const StickyChain chain(decoder, decoded.prior);
    PosteriorRound round{&chain, likelihood.data(), beats, passed.data(), {}};
    OnProcessor<RunRound>::run(&round);
    for (int s = 0; s < kMostStates; ++s) round.sums[0][s] += round.sums[1][s];
    estimate_prior(decoder, round.sums[0], decoded.prior);
  }
  const StickyChain chain(decoder, decoded.prior);
  decoded.path = most_probable_path(log_p, chain, decoder, decoded.prior, passed.span());
  parallel_for(cpu, beats, kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      decoded.probability[i] = std::exp(static_cast<double>(log_p[i][decoded.path[i]]));
  });
  return decoded;
}

}  // namespace beatscan
