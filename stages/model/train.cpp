#include <cmath>
#include <limits>
#include <memory>

#include "kernels/model/random.h"
#include "kernels/runtime/error.h"
#include "kernels/windows/mean_row.h"
#include "stages/model/epoch_engine.h"
#include "stages/model/row_split.h"
#include "stages/model/vae_library.h"

namespace beatscan {
namespace {

// Makes the fused engine where it covers the topology and LibTorch's was not asked for.
template <class Context>
std::unique_ptr<EpochEngine> make_engine(Context& context, const VaeBatch& epoch, const VaeOptions& options,
                                         std::int64_t row_points, const TrainingStart& start) {
  if (!needs_libtorch(options, row_points)) return make_fused_engine(context, epoch, options, start);
  return vae_library().on(context).make_engine(context, epoch, options, row_points, start);
}

template <class Context>
class Trainer {
 public:
  Trainer(Context& context, const Rows<Context>& rows, const VaeOptions& options, const TrainingStart& start)
      : context_(context),
        options_(options),
        seed_(start.seed),
        rows_(rows),
        split_(split_rows(context, rows, options.train_fraction, start.seed)),
        train_beats_(split_.train),
        plan_(training_plan(options, train_beats_)),
        order_(context, train_beats_),
        eps_(context, plan_.epoch_beats * options.latents),
        engine_(make_engine(context, {rows.values, order_.span().first(plan_.epoch_beats), eps_}, planned(),
                            rows.points, start)) {
    if (start.state) go_on_from(*start.state);
  }

  TrainingState state(const std::vector<double>& loss_per_epoch) {
    TrainingState state{.loss_per_epoch = loss_per_epoch, .parameters = engine_->parameters()};
    engine_->save_adam(state);
    return state;
  }

  int epochs() const { return static_cast<int>(*options_.epochs); }

  // Trains one epoch; returns the mean loss of its beats, each before the step of its batch.
  double train_epoch(int epoch) {
    const auto number = static_cast<std::uint32_t>(epoch);
    shuffle(context_, {seed_, RandomStream::batch_order, number}, train_rows(), order_);
    fill_normal(context_, {seed_, RandomStream::latent_noise, number}, eps_);
    return engine_->run() / static_cast<double>(plan_.epoch_beats);
  }

  double test_loss() {
    const auto test = test_rows();
    if (test.empty()) return std::numeric_limits<double>::quiet_NaN();
    Buffer<float, Context> eps(context_, std::ssize(test) * options_.latents);
    fill_normal(context_, {seed_, RandomStream::test_noise}, eps);
    return engine_->loss({rows_.values, test, eps}) / static_cast<double>(test.size());
  }

  double mean_beat_error() {
    const auto chosen = test_rows().empty() ? train_rows() : test_rows();
    Buffer<float, Context> mean(context_, rows_.points), errors(context_, std::ssize(chosen));
    mean_row(context_, rows_.values, train_rows(), mean);
    row_errors(context_, rows_.values, chosen, mean, errors);
    double total = 0;
    for (const float error : to_host(context_, errors)) total += error;
    return total / static_cast<double>(chosen.size());
  }

  std::vector<Split> split() {
    std::vector<Split> split(rows_.count, Split::none);
    for (const std::int32_t row : to_host(context_, train_rows())) split[row] = Split::train;
    for (const std::int32_t row : to_host(context_, test_rows())) split[row] = Split::test;
    return split;
  }

  VaeModel model() { return engine_->model(); }

 private:
  void go_on_from(const TrainingState& state) {
    const std::int64_t epochs = std::ssize(state.loss_per_epoch);
    const std::int64_t steps_per_epoch = (plan_.epoch_beats + options_.batch_beats - 1) / options_.batch_beats;
    BEATSCAN_EXPECTS(epochs <= this->epochs() && state.steps == epochs * steps_per_epoch,
                     "train_vae: not a state of this training");
    engine_->set_adam(state);
  }
  const VaeOptions& planned() {
    options_.epochs = plan_.epochs;
    options_.batch_beats = plan_.batch_beats;
    return options_;
  }
  std::span<const std::int32_t> train_rows() const { return split_.rows.span().first(train_beats_); }
  std::span<const std::int32_t> test_rows() const { return split_.rows.span().subspan(train_beats_); }

  Context& context_;
  VaeOptions options_;
  std::uint64_t seed_;
  const Rows<Context>& rows_;
  RowSplit<Context> split_;
  std::int64_t train_beats_;
  TrainingPlan plan_;
  Buffer<std::int32_t, Context> order_;  // [train_beats] rows; the first epoch_beats are an epoch's, batch after batch
  Buffer<float, Context> eps_;           // [epoch_beats][Z] noise, in the same order
  std::unique_ptr<EpochEngine> engine_;
};

// Decodes beats from N(0, I). The noise is made on the host, so that it is the same for every device.
template <class Context>
std::vector<float> generate_beats(Context& context, const VaeModel& model, std::uint64_t seed,
                                  const VaeOptions& options) {
  Cpu cpu(1);
  std::vector<float> noise(std::int64_t{options.generated_beats} * options.latents);
  fill_normal(cpu, {seed, RandomStream::generated}, noise);
  return decoded_rows(context, model, noise);
}

template <class Context>
VaeResult trained(Context& context, const Rows<Context>& rows, const VaeOptions& options, const TrainingStart& start,
                  const EpochReport& on_epoch) {
  if (trainable_count(rows) < 2)
    throw Error(ErrorKind::unanalysable,
                "too few beats: " + std::to_string(trainable_count(rows)) + " to train on, and a model needs 2");
  Trainer<Context> trainer(context, rows, options, start);
  VaeTraining training;
  if (start.state) training.loss_per_epoch = start.state->loss_per_epoch;
  for (int epoch = static_cast<int>(training.loss_per_epoch.size()); epoch < trainer.epochs(); ++epoch) {
    training.loss_per_epoch.push_back(trainer.train_epoch(epoch));
    if (!std::isfinite(training.loss_per_epoch.back()))
      throw Error(ErrorKind::unanalysable, "training diverged in epoch " + std::to_string(epoch + 1) +
                                               ": the loss is no longer finite; lower vae.learning_rate");
    if (on_epoch)
      on_epoch({epoch, trainer.epochs(), training.loss_per_epoch.back(),
                [&] { return trainer.state(training.loss_per_epoch); }});
  }
  training.test_loss = trainer.test_loss();
  training.mean_beat_error = trainer.mean_beat_error();
  training.split = trainer.split();
  const VaeModel model = trainer.model();
  training.generated = generate_beats(context, model, start.seed, options);
  return {model, std::move(training)};
}

}  // namespace

template <class Context>
VaeResult train_vae(Context& context, const Rows<Context>& rows, const VaeOptions& options, const TrainingStart& start,
                    const EpochReport& on_epoch) {
  check_topology(options, rows.points);
  return trained(context, rows, options, start, on_epoch);
}

#define BEATSCAN_TRAIN_VAE(Context)                                                                     \
  template VaeResult train_vae(Context&, const Rows<Context>&, const VaeOptions&, const TrainingStart&, \
                               const EpochReport&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_TRAIN_VAE)

}  // namespace beatscan
