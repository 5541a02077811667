// stages/model/vae.h — the convolutional variational autoencoder of the published pipeline: training, scoring,
// decoding.
//
//   encoder  for each of the C `channels`: conv1d (kernel 3, padding 1), swish, [1 2 1] blur with stride 2;
//            then two heads conv1d -> Z (kernel 3, padding 1), averaged over time: mu and logvar
//   z        mu + eps exp(logvar / 2), eps ~ N(0, I)
//   decoder  linear Z -> values seen as [channels.back() / 2][D / 2^C];
//            then C times: nearest x2 upsampling, conv1d, and swish after all but the last.
//            The channels halve each time, down to 1
//   swish    x sigmoid(alpha x), with one trainable alpha for all
//   loss     of a batch: sum over its beats of the mean squared error over D
//            + kl_weight * sum over its beats of -1/2 sum over Z of (1 + logvar - mu^2 - exp(logvar))
//
// B rows of D points, Z latents. The fused step of kernels/model covers the published topology. For other topologies,
// and on request, vae.cpp loads libbeatscan_vae.so, which uses LibTorch's autograd and whose source is in torch/. This
// is the only stage that uses LibTorch, and its header is free of it. Rows, batches and latents stay in the context's
// memory. The fused step works on them, and autograd on views of them. LibTorch takes its own memory from the same
// pool.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "stages/model/vae_output.h"

namespace beatscan {

template <class Context>
struct Rows;

class VaeModule;  // the LibTorch module

// A trained model: the parameters of the fused step, or a module, which copies of the model share.
class VaeModel {
 public:
  VaeModel() = default;  // no model: a recording of few beats has none
  explicit VaeModel(std::vector<float> fused) : fused_(std::move(fused)) {}
  explicit VaeModel(std::shared_ptr<VaeModule> module) : module_(std::move(module)) {}
  bool exists() const { return is_fused() || module_; }
  bool is_fused() const { return !fused_.empty(); }
  const std::vector<float>& fused() const { return fused_; }  // [1618], in the order of kernels/model/vae_layout.h
  VaeModule& module() const { return *module_; }              // if there is a model that is not fused
  std::vector<NamedArray> parameters() const;                 // if there is a model

 private:
  std::vector<float> fused_;
  std::shared_ptr<VaeModule> module_;
};

struct VaeResult {
  VaeModel model;
  VaeTraining training;
};

// The same in the context's memory.
template <class Context>
struct RowScoreBuffers {
  Buffer<float, Context> reconstruction_error, kl, latents;
};

// Copies row scores to the host while other work continues; see Fetch in kernels/runtime/buffer.h.
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

// A training between two epochs. A training that resumes from it gives the same bits as one that never stopped, if
// rows, options, seed and kind of device are the same: random numbers depend on seed, epoch and row alone.
struct TrainingState {
  std::vector<double> loss_per_epoch;    // losses of the epochs that are done
  std::int64_t steps = 0;                // number of Adam's steps in them
  std::vector<NamedArray> parameters;    // the weights
  std::vector<NamedArray> mean, square;  // Adam's moments, by the names of the parameters
};

// The start of a training.
struct TrainingStart {
  std::uint64_t seed = 0;                             // seed of split, order of batches, noise and default weights
  std::vector<NamedArray> parameters;                 // the weights; if empty, LibTorch's default initialisation
  std::optional<TrainingState> state = std::nullopt;  // state to resume from; its weights replace `parameters`
};

struct EpochEnd {
  int epoch, epochs;                     // number of the epoch that ended, from 0; epochs of the training
  double loss;                           // mean loss of its beats
  std::function<TrainingState()> state;  // returns the state now; valid until the report returns
};
using EpochReport = std::function<void(const EpochEnd&)>;  // called after each epoch; may throw to stop the training

// Trains a model on the trainable rows. Throws ErrorKind::usage if the topology does not fit the rows, and
// ErrorKind::unanalysable if there are fewer than 2 trainable rows or the loss is no longer finite. A state that does
// not fit the training throws ErrorKind::internal.
template <class Context>
VaeResult train_vae(Context&, const Rows<Context>& rows, const VaeOptions& options, const TrainingStart& start,
                    const EpochReport& on_epoch = {});

// Returns [B], the mean squared difference between each row and what its latents [B][Z] decode to.
template <class Context>
Buffer<float, Context> decoded_errors(Context&, const VaeModel& model, const Rows<Context>& rows,
                                      std::span<const float> latents);

// Returns [n][D] on the host, the rows that latents [n][Z] decode to. It is meant for a few rows.
template <class Context>
std::vector<float> decoded_rows(Context&, const VaeModel& model, std::span<const float> latents);

// Returns the model's scores of all rows.
template <class Context>
RowScoreBuffers<Context> score_rows(Context&, const VaeModel& model, const Rows<Context>& rows);

// How a training iterates over its rows.
struct TrainingPlan {
  int epochs, batch_beats;
  std::int64_t epoch_beats;  // chosen at random for each epoch; all, unless even one epoch would have too many steps
};

// The default number of epochs: kUsualEpochs; more in a short recording, whose smallest batches would else give fewer
// than least_steps steps; fewer if full batches would give more than most_steps.
inline constexpr int kUsualEpochs = 14, kMostEpochs = 200;
inline constexpr int kSmallestBatch = 32;  // beats; the gradients of fewer are noise

// Returns the steps that a training is to have at least: no more than it may have.
inline std::int64_t wanted_steps(const VaeOptions& options) {
  return options.most_steps > 0 ? std::min(options.least_steps, options.most_steps) : options.least_steps;
}

// Returns the default number of epochs for `train_beats` training beats, at least one.
inline std::int64_t chosen_epochs(const VaeOptions& options, std::int64_t train_beats) {
  const auto steps_an_epoch = [=](std::int64_t batch_beats) {
    return std::max<std::int64_t>((train_beats + batch_beats - 1) / batch_beats, 1);
  };
  const std::int64_t most_an_epoch = steps_an_epoch(std::min(kSmallestBatch, options.batch_beats)),
                     wanted = (wanted_steps(options) + most_an_epoch - 1) / most_an_epoch,
                     allowed = options.most_steps / steps_an_epoch(options.batch_beats);
  if (options.most_steps > 0 && allowed < kUsualEpochs) return std::max<std::int64_t>(allowed, 1);
  return std::clamp<std::int64_t>(wanted, kUsualEpochs, kMostEpochs);
}

// Returns the plan for `train_beats` training beats. Batches have batch_beats, or fewer if all epochs would have fewer
// steps than wanted.
inline TrainingPlan training_plan(const VaeOptions& options, std::int64_t train_beats) {
  const auto epochs = static_cast<int>(options.epochs.value_or(chosen_epochs(options, train_beats)));
  const std::int64_t most_beats = std::int64_t{options.most_steps} * options.batch_beats,
                     epoch_beats = options.epochs || most_beats == 0 ? train_beats : std::min(train_beats, most_beats);
  const std::int64_t wanted = options.epochs ? options.least_steps : wanted_steps(options);
  if (wanted == 0) return {epochs, options.batch_beats, epoch_beats};
  const std::int64_t wanted_beats =
      std::max<std::int64_t>(train_beats * epochs / wanted, std::min(kSmallestBatch, options.batch_beats));
  return {epochs, static_cast<int>(std::min<std::int64_t>(wanted_beats, options.batch_beats)), epoch_beats};
}

// Checks a topology against the row length, and the engine against both; returns the number of parameters. Throws
// ErrorKind::usage.
std::int64_t check_topology(const VaeOptions& options, std::int64_t row_points);

// Sets the number of OpenMP threads that LibTorch works on, regardless of the environment. On a CPU its sums depend on
// the number: the program sets one, so that autograd's results are the same bytes everywhere. The fused step has
// threads of its own, and its sums do not depend on them. If several threads are set, those that wait sleep: on a
// shared machine, spinning would take time from those that work. Must be called before there are other threads, as it
// changes the environment, and before the OpenMP runtime is loaded, which reads it.
void prepare_openmp(int threads);

// Returns whether a training, or the use of a model, needs LibTorch.
bool needs_libtorch(const VaeOptions& options, std::int64_t row_points);

// Loads LibTorch now instead of when it is first needed. Any thread may call it. Returns why it cannot be loaded, or
// nothing. The first function that needs LibTorch reports the same failure.
std::string load_libtorch();

// Returns the version of LibTorch that the program was built with.
std::string libtorch_version();

}  // namespace beatscan
