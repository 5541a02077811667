// stages/vae/vae.h — the convolutional variational autoencoder of the published pipeline: training, scoring, decoding.
//
// The only stage that uses LibTorch, and this header is free of it: vae.cpp loads libbeatscan_vae.so (vae_train.cpp,
// vae_engine.cpp, vae_score.cpp, vae_module.cpp) when it is first needed. Rows, batches and latents stay in the
// context's memory: the fused step works on them, and LibTorch's autograd on views of them; LibTorch takes its own
// memory out of the same pool.
//
//   encoder  for each of `channels`: conv1d (kernel 3, padding 1), swish, [1 2 1] blur with stride 2
//            two heads conv1d -> Z (kernel 3, padding 1), averaged over time: mu, logvar
//   z        mu + eps exp(logvar / 2)
//   decoder  linear Z -> D seen as [channels.back() / 2][D / 2^L], then L times: nearest x2 upsampling, conv1d;
//            channels halve as the encoder's doubled, down to 1; swish after all but the last
//   swish    x sigmoid(alpha x), one trainable alpha for all
//   loss     of a batch: sum over beats of the mean squared error over D
//            + kl_weight * sum over beats of -1/2 sum over Z of (1 + logvar - mu^2 - exp(logvar))
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "stages/common/rows.h"

namespace beatscan {

// What computes a training step and the scores: LibTorch operation by operation, or kernels/vae/vae_step.h in one go.
enum class VaeEngine { automatic, fused, autograd };  // automatic: fused where it covers the topology

struct VaeOptions {
  std::vector<int> channels = {4, 8, 16};  // of the encoder's convolutions, each twice the one before it
  int latents = 2;                         // Z
  double kl_weight = 0.01;                 // against a mean squared error in units of the rows' variance
  double learning_rate = 1e-2;             // of Adam, in the first step; falls exponentially
  double last_learning_rate = 1e-3;        // to this in the last
  int batch_beats = 1024;                  // at most; the last batch of an epoch may be smaller
  int least_steps = 1000;  // batches are smaller (to 32) where the epochs would have fewer steps than this in all
  int epochs = 30;
  double train_fraction = 0.75;  // of the trainable rows, chosen by a seeded shuffle; the rest is the test set
  int generated_beats = 25;      // decoded from N(0, I) after training
  VaeEngine engine = VaeEngine::automatic;
};

// One parameter of the model, on the host.
struct NamedArray {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

class VaeModule;  // the LibTorch module

// A trained model. Movable; keeps the module and where it lives.
class VaeModel {
 public:
  explicit VaeModel(std::shared_ptr<VaeModule> module) : module_(std::move(module)) {}
  VaeModule& module() const { return *module_; }
  std::vector<NamedArray> parameters() const;

 private:
  std::shared_ptr<VaeModule> module_;
};

// What a row was used for. Rows that are not trainable (Rows) are neither.
enum class Split : std::uint8_t { none, train, test };

struct VaeTraining {
  std::vector<double> loss_per_epoch;  // mean over the training beats
  double test_loss = 0;                // the same with fresh noise, mean over the test beats; NaN without test beats
  std::vector<Split> split;            // [B]
  double mean_beat_error = 0;          // mean squared error of the test (or, without any, training) rows against the
                                       // mean training row: what a model without latents would reach
  std::vector<float> generated;        // [generated_beats][D]
};

struct VaeResult {
  VaeModel model;
  VaeTraining training;
};

// On the host.
struct RowScores {
  std::vector<float> reconstruction_error;  // [B] mean squared error over D, decoded from z = mu
  std::vector<float> kl;                    // [B]
  std::vector<float> latents;               // [B][Z] mu
};

template <class Context>
struct RowScoreBuffers {
  Buffer<float, Context> reconstruction_error, kl, latents;
};

// On their way to the host; see Fetch.
template <class Context>
class RowScoresFetch {
 public:
  RowScoresFetch(Context& context, const RowScoreBuffers<Context>& buffers)
      : fetch_(context, buffers.reconstruction_error, buffers.kl, buffers.latents) {}
  RowScores get() {
    RowScores scores;
    std::tie(scores.reconstruction_error, scores.kl, scores.latents) = fetch_.get();
    return scores;
  }

 private:
  Fetch<Context, float, float, float> fetch_;
};

template <class Context>
RowScores to_host(Context& context, const RowScoreBuffers<Context>& buffers) {
  return RowScoresFetch<Context>(context, buffers).get();
}

// A training between two epochs: going on from here on the same rows, with the same options and seed and on the same
// kind of device, gives the same bits as never having stopped. (Random numbers depend on seed, epoch and row alone.)
struct TrainingState {
  std::vector<double> loss_per_epoch;                // of the epochs that are done
  std::int64_t steps = 0;                            // that Adam has made in them
  std::vector<NamedArray> parameters, mean, square;  // by the parameters' names; the last two are Adam's moments
};

// Where training starts from.
struct TrainingStart {
  std::uint64_t seed = 0;              // of the split, the order of the batches, the noise and, by default, the weights
  std::vector<NamedArray> parameters;  // the weights; empty: LibTorch's default initialisation
  std::optional<TrainingState> state = std::nullopt;  // to go on from, with its weights
};

struct EpochEnd {
  int epoch;  // from 0
  double loss;
  std::function<TrainingState()> state;  // takes it; good until the report returns
};
using EpochReport = std::function<void(const EpochEnd&)>;  // called after each epoch; may throw to stop

// Throws ErrorKind::usage for a topology that does not fit the rows, ErrorKind::unanalysable for fewer than 2 rows.
// What a state holds must fit (a violation otherwise).
template <class Context>
VaeResult train_vae(Context&, const Rows<Context>& rows, const VaeOptions& options, const TrainingStart& start,
                    const EpochReport& on_epoch = {});

// [B] mean squared difference between each row and the decoding of its latents [B][Z].
template <class Context>
Buffer<float, Context> decoded_errors(Context&, const VaeModel& model, const Rows<Context>& rows,
                                      std::span<const float> latents);

// [n][D], on the host, what latents [n][Z] decode to: for a few rows to look at. Z is the model's.
template <class Context>
std::vector<float> decoded_rows(Context&, const VaeModel& model, std::span<const float> latents);

template <class Context>
RowScoreBuffers<Context> score_rows(Context&, const VaeModel& model, const Rows<Context>& rows);

// Beats a step, for so many training beats.
inline int batch_for(const VaeOptions& options, std::int64_t train_beats) {
  constexpr std::int64_t kSmallest = 32;  // of fewer beats gradients are noise
  if (options.least_steps == 0) return options.batch_beats;
  const std::int64_t wanted = std::max(train_beats * options.epochs / options.least_steps, kSmallest);
  return static_cast<int>(std::min<std::int64_t>(wanted, options.batch_beats));
}

// Checks a topology against the row length, and the engine against both; returns the number of parameters. Throws
// ErrorKind::usage.
std::int64_t check_topology(const VaeOptions& options, std::int64_t row_points);

// How many threads of OpenMP LibTorch works on, whatever the environment says. On a CPU its sums depend on the number:
// the program gives it one, so that autograd's results are the same bytes everywhere. (The fused step has threads of
// its own, and sums that do not depend on them.) If there are more, those that wait do not spin, which on a shared
// machine would take the time of those that work. The OpenMP runtime reads this when it is loaded: to be called first
// thing, before there are other threads (it changes the environment).
void prepare_openmp(int threads);

// Loads LibTorch now instead of when it is first needed, on any thread. A failure is left to be met again, and
// reported, by whatever needs it.
void preload_vae();
std::string libtorch_version();

}  // namespace beatscan
