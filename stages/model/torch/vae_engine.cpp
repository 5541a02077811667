#include "stages/model/torch/vae_engine.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <dlfcn.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <algorithm>
#include <mutex>

#include "kernels/runtime/error.h"
#include "stages/model/torch/torch_bridge.h"
#include "stages/model/torch/vae_module.h"
#include "stages/model/torch/vae_score.h"

namespace beatscan {
namespace {

// Makes LibTorch's operations give the same bits from run to run, and compute float32 in float32. It changes the whole
// process.
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
// Loads LibTorch's CUDA operations, which register themselves then, and lends LibTorch this program's memory. That
// takes as long as loading the rest. A second call returns at once.
void load_libtorch_operations(const Cuda&) {
  static const bool loaded = [] {
    void* const library = dlopen("libbeatscan_vae_cuda.so", RTLD_NOW | RTLD_GLOBAL);
    const auto lend_memory = library ? reinterpret_cast<void (*)()>(dlsym(library, "beatscan_lend_memory")) : nullptr;
    if (!lend_memory) throw Error(ErrorKind::internal, std::string("LibTorch for CUDA cannot be loaded: ") + dlerror());
    lend_memory();
    return true;
  }();
  static_cast<void>(loaded);
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
// device, and then moved to where the rows are.
template <class Context>
std::shared_ptr<VaeModule> make_module(const Context& context, const VaeOptions& options, std::int64_t row_points,
                                       const TrainingStart& start) {
  load_libtorch_operations(context);  // before LibTorch first looks for a GPU, as it keeps the answer "none"
  make_libtorch_repeatable();
  auto module = initialised_module(options, row_points, start.seed);
  if (const auto& weights = weights_of(start); !weights.empty()) load_parameters(*module, weights);
  const TorchScope scope(context);
  module->to(torch_device(context));
  return module;
}

template <class Context>
class AutogradEngine : public EpochEngine {
 public:
  AutogradEngine(Context& context, const VaeBatch& epoch, const VaeOptions& options, std::int64_t row_points,
                 const TrainingStart& start)
      : module_(make_module(context, options, row_points, start)),
        scope_(context),
        context_(context),
        options_(options),
        epoch_(epoch),
        rate_decay_(step_options(options, std::ssize(epoch.indices)).rate_decay),
        adam_(module_->parameters(), torch::optim::AdamOptions(options.learning_rate)) {}

  double run() override {
    return with_device_errors(context_, [&] {
      return sum_over_batches(epoch_, options_.batch_beats, [&](const auto& rows, const auto& eps) {
        adam_.zero_grad();
        const auto loss = batch_loss(*module_, rows, eps, options_.kl_weight);
        loss.backward();
        adam_.step();
        lower_rate();
        return loss.detach();
      });
    });
  }

  double loss(const VaeBatch& batch) override {
    const torch::NoGradGuard no_grad;
    return with_device_errors(context_, [&] {
      return sum_over_batches(batch, kEvaluationBatch, [&](const auto& rows, const auto& eps) {
        return batch_loss(*module_, rows, eps, options_.kl_weight);
      });
    });
  }

  std::vector<NamedArray> parameters() override {
    return with_device_errors(context_, [&] { return parameters_of(*module_); });
  }
  VaeModel model() override { return VaeModel(module_); }

  void save_adam(TrainingState& state) override {
    with_device_errors(context_, [&] { copy_adam_to(state); });
  }
  void set_adam(const TrainingState& state) override {
    with_device_errors(context_, [&] { copy_adam_from(state); });
  }

 private:
  void copy_adam_to(TrainingState& state) {
    for (const auto& parameter : module_->named_parameters()) {
      const auto shape = parameter.value().sizes().vec();
      const auto& adam = static_cast<torch::optim::AdamParamState&>(*adam_.state().at(key_of(parameter.value())));
      state.steps = adam.step();
      state.mean.push_back({parameter.key(), shape, host_values<float>(adam.exp_avg())});
      state.square.push_back({parameter.key(), shape, host_values<float>(adam.exp_avg_sq())});
    }
  }

  void copy_adam_from(const TrainingState& state) {
    const torch::NoGradGuard no_grad;
    for (const auto& parameter : module_->named_parameters()) {
      const torch::Tensor& value = parameter.value();
      const auto tensor = [&](const std::vector<NamedArray>& arrays) {
        const auto& array = moments_of(arrays, parameter.key(), value.numel());
        return torch::from_blob(const_cast<float*>(array.values.data()), value.sizes()).clone().to(value.device());
      };
      auto adam = std::make_unique<torch::optim::AdamParamState>();
      adam->step(state.steps);
      adam->exp_avg(tensor(state.mean));
      adam->exp_avg_sq(tensor(state.square));
      adam_.state()[key_of(value)] = std::move(adam);
    }
    for (std::int64_t step = 0; step < state.steps; ++step)
      lower_rate();  // step by step, so that the bits are the same
  }

  static void* key_of(const torch::Tensor& parameter) { return parameter.unsafeGetTensorImpl(); }

  void lower_rate() {
    auto& adam_options = static_cast<torch::optim::AdamOptions&>(adam_.param_groups()[0].options());
    adam_options.lr(adam_options.lr() * rate_decay_);
  }

  template <class Work>
  double sum_over_batches(const VaeBatch& batch, std::int64_t batch_beats, Work&& work) {
    const auto beats = std::ssize(batch.indices);
    const auto rows = view(context_, batch.rows, {-1, module_->row_points()});
    const auto indices = view(context_, batch.indices, {beats});
    const auto eps = view(context_, batch.eps, {beats, module_->latents()});
    auto total = torch::zeros({}, torch::TensorOptions().device(rows.device()).dtype(torch::kFloat64));
    for (std::int64_t first = 0; first < beats; first += batch_beats) {
      const std::int64_t last = std::min(first + batch_beats, beats);
      total += work(rows.index_select(0, indices.slice(0, first, last)), eps.slice(0, first, last));
    }
    return total.template item<double>();
  }

  std::shared_ptr<VaeModule> module_;
  TorchScope scope_;
  Context& context_;
  const VaeOptions& options_;
  VaeBatch epoch_;
  double rate_decay_;
  torch::optim::Adam adam_;
};

}  // namespace

template <class Context>
std::unique_ptr<EpochEngine> make_autograd_engine(Context& context, const VaeBatch& epoch, const VaeOptions& options,
                                                  std::int64_t row_points, const TrainingStart& start) {
  return with_device_errors(context, [&]() -> std::unique_ptr<EpochEngine> {
    return std::make_unique<AutogradEngine<Context>>(context, epoch, options, row_points, start);
  });
}

std::vector<NamedArray> parameters_of(const VaeModule& module) {
  std::vector<NamedArray> arrays;
  for (const auto& parameter : module.named_parameters())
    arrays.push_back({parameter.key(), parameter.value().sizes().vec(), host_values<float>(parameter.value())});
  return arrays;
}

#define BEATSCAN_MAKE_ENGINE(Context)                                                                      \
  template std::unique_ptr<EpochEngine> make_autograd_engine(Context&, const VaeBatch&, const VaeOptions&, \
                                                             std::int64_t, const TrainingStart&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_MAKE_ENGINE)

}  // namespace beatscan
