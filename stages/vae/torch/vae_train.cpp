#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <dlfcn.h>
#include <torch/utils.h>
#include <torch/version.h>

#include <cmath>
#include <limits>
#include <mutex>

#include "kernels/rows/mean_row.h"
#include "kernels/runtime/error.h"
#include "kernels/vae/random.h"
#include "stages/vae/torch/row_split.h"
#include "stages/vae/torch/torch_bridge.h"
#include "stages/vae/torch/vae_engine.h"
#include "stages/vae/torch/vae_score.h"

namespace beatscan {
namespace {

// Makes LibTorch's own operations give the same bits from run to run, and compute float32 in float32. It changes the
// whole process. The fused step does not need it.
void make_libtorch_repeatable() {
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setBenchmarkCuDNN(false);
  at::globalContext().setAllowTF32CuDNN(false);
  at::globalContext().setAllowTF32CuBLAS(false);
}

void load_parameters(VaeModule& module, const std::vector<NamedArray>& arrays) {
  const torch::NoGradGuard no_grad;
  auto parameters = module.named_parameters();
  BEATSCAN_EXPECTS(arrays.size() == parameters.size(), "load_parameters: not the parameters of this topology");
  for (const auto& array : arrays) {
    torch::Tensor* target = parameters.find(array.name);
    BEATSCAN_EXPECTS(target && target->sizes().vec() == array.shape,
                     "load_parameters: " + array.name + " does not fit");
    target->copy_(torch::from_blob(const_cast<float*>(array.values.data()), array.shape));
  }
}

#ifdef BEATSCAN_WITH_CUDA
// Loads LibTorch's CUDA operations, which register themselves then. That takes as long as loading the rest, and the
// fused step does not need them. A second call returns at once.
void load_libtorch_operations(const Cuda&) {
  if (!dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL))
    throw Error(ErrorKind::internal, std::string("LibTorch for CUDA cannot be loaded: ") + dlerror());
}
#endif
void load_libtorch_operations(const Cpu&) {}

// Makes a module whose weights depend on the seed. LibTorch initialises modules from the process's generator. Its state
// is restored afterwards, because within Python the user's program has that generator, too.
std::shared_ptr<VaeModule> initialised_module(const VaeOptions& options, std::int64_t row_points, std::uint64_t seed) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  std::unique_lock generator_lock(generator.mutex());
  const torch::Tensor state = generator.get_state();
  generator.set_current_seed(seed);
  generator_lock.unlock();  // the module's constructor locks it, too
  auto module = std::make_shared<VaeModule>(options, row_points);
  generator_lock.lock();
  generator.set_state(state);
  return module;
}

// Makes the module that is trained. It is initialised on the CPU, so that a seed means the same weights on every
// device. The fused step takes its parameters from there; for autograd the module is moved to where the rows are.
template <class Context>
std::shared_ptr<VaeModule> make_module(const Context& context, const VaeOptions& options, std::int64_t row_points,
                                       const TrainingStart& start) {
  const bool fused = options.engine != VaeEngine::autograd && fused_step_covers(options, row_points);
  if (!fused) {
    load_libtorch_operations(context);  // before LibTorch first looks for a GPU, as it keeps the answer "none"
    make_libtorch_repeatable();
  }
  auto module = initialised_module(options, row_points, start.seed);
  const auto& parameters = start.state ? start.state->parameters : start.parameters;
  if (!parameters.empty()) load_parameters(*module, parameters);
  if (fused) {
    module->flatten();
  } else {
    const TorchScope scope(context);
    module->to(torch_device(context));
  }
  return module;
}

std::vector<NamedArray> parameters_of(const VaeModule& module) {
  std::vector<NamedArray> arrays;
  for (const auto& parameter : module.named_parameters())
    arrays.push_back({parameter.key(), parameter.value().sizes().vec(), host_values<float>(parameter.value())});
  return arrays;
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
        order_(context, train_beats_),
        eps_(context, train_beats_ * options.latents),
        module_(make_module(context, options, rows.points, start)),
        engine_(make_engine(context, {rows.values, order_, eps_}, planned(), *module_)) {
    if (start.state) go_on_from(*start.state);
  }

  TrainingState state(const std::vector<double>& loss_per_epoch) {
    engine_->update_module();
    TrainingState state{.loss_per_epoch = loss_per_epoch, .parameters = parameters_of(*module_)};
    engine_->save_adam(state);
    return state;
  }

  int epochs() const { return static_cast<int>(*options_.epochs); }

  // Trains one epoch; returns the mean loss of its beats, each before the step of its batch.
  double train_epoch(int epoch) {
    const auto number = static_cast<std::uint32_t>(epoch);
    shuffle(context_, {seed_, RandomStream::batch_order, number}, train_rows(), order_);
    fill_normal(context_, {seed_, RandomStream::latent_noise, number}, eps_);
    return engine_->run() / static_cast<double>(train_beats_);
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

  // Returns the trained module.
  std::shared_ptr<VaeModule> module() {
    engine_->update_module();
    return module_;
  }

 private:
  void go_on_from(const TrainingState& state) {
    const std::int64_t epochs = std::ssize(state.loss_per_epoch);
    const std::int64_t steps_per_epoch = (train_beats_ + options_.batch_beats - 1) / options_.batch_beats;
    BEATSCAN_EXPECTS(epochs <= this->epochs() && state.steps == epochs * steps_per_epoch,
                     "train_vae: not a state of this training");
    engine_->set_adam(state);
  }
  const VaeOptions& planned() {
    const TrainingPlan plan = training_plan(options_, train_beats_);
    options_.epochs = plan.epochs;
    options_.batch_beats = plan.batch_beats;
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
  Buffer<std::int32_t, Context> order_;  // [train_beats] rows of an epoch, its batches one after the other
  Buffer<float, Context> eps_;           // [train_beats][Z] noise, in the same order
  std::shared_ptr<VaeModule> module_;
  std::unique_ptr<EpochEngine> engine_;
};

// Decodes beats from N(0, I). The noise is made on the host, so that it is the same for every device.
template <class Context>
std::vector<float> generate_beats(Context& context, const VaeModel& model, std::uint64_t seed, int beats) {
  Cpu cpu(1);
  std::vector<float> noise(beats * model.module().latents());
  fill_normal(cpu, {seed, RandomStream::generated}, noise);
  return decoded_rows_of(context, model, noise);
}

template <class Context>
VaeResult train(Context& context, const Rows<Context>& rows, const VaeOptions& options, const TrainingStart& start,
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
  const VaeModel model(trainer.module());
  training.generated = generate_beats(context, model, start.seed, options.generated_beats);
  return {model, std::move(training)};
}

std::vector<NamedArray> parameters(const VaeModel& model) { return parameters_of(model.module()); }

std::string version() { return TORCH_VERSION; }

#ifdef BEATSCAN_WITH_CUDA
// Calls a function on a GPU. A GPU that fails within LibTorch's operations becomes ErrorKind::device, as one that fails
// within this program's kernels.
template <auto function>
struct OnDevice;
template <class Result, class... Arguments, Result (*function)(Arguments...)>
struct OnDevice<function> {
  static Result call(Arguments... arguments) {
    const auto failure = [](const c10::Error& error) {
      const std::string what = error.what_without_backtrace();
      return Error(ErrorKind::device, "LibTorch: " + what.substr(0, what.find('\n')));
    };
    try {
      return function(std::forward<Arguments>(arguments)...);
    } catch (const c10::OutOfMemoryError& error) {
      throw failure(error);
    } catch (const c10::AcceleratorError& error) {
      throw failure(error);
    }
  }
};
#endif

}  // namespace
}  // namespace beatscan

const beatscan::VaeLibrary* beatscan_vae_library() {
  using namespace beatscan;
  static constexpr VaeFunctions<Cpu> kOnCpu{train<Cpu>, score_with_module<Cpu>, decoded_errors_of<Cpu>,
                                            decoded_rows_of<Cpu>};
#ifdef BEATSCAN_WITH_CUDA
  static constexpr VaeFunctions<Cuda> kOnCuda{OnDevice<train<Cuda>>::call, OnDevice<score_with_module<Cuda>>::call,
                                              OnDevice<decoded_errors_of<Cuda>>::call,
                                              OnDevice<decoded_rows_of<Cuda>>::call};
#else
  static constexpr VaeFunctions<Cuda> kOnCuda{};
#endif
  static constexpr VaeLibrary kLibrary{kOnCpu, kOnCuda, parameters, version};
  return &kLibrary;
}
