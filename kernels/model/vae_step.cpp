#include "kernels/model/vae_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "kernels/model/adam.h"
#include "kernels/model/vae_group.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {
namespace {

// The number of beats whose gradients one thread sums. It is fixed so that sums do not depend on the number of threads.
constexpr std::int64_t kPartBeats = 64;

std::int64_t parts_of(std::int64_t beats) { return (beats + kPartBeats - 1) / kPartBeats; }

// Calls work(first, beats) for each group of [begin, end).
template <class Work>
void for_each_group(std::int64_t begin, std::int64_t end, Work&& work) {
  for (std::int64_t first = begin; first < end; first += vae::kGroupBeats)
    work(first, static_cast<int>(std::min<std::int64_t>(vae::kGroupBeats, end - first)));
}

// Keeps the megabyte of each worker from step to step: to bring it in anew takes a quarter of a small step.
class KeptWorkers {
 public:
  // Calls work(worker) with a worker that no other thread has.
  template <class Work>
  void with_worker(Work&& work) {
    auto worker = taken();
    work(*worker);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

 private:
  std::unique_ptr<vae::GroupWorker> taken() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<vae::GroupWorker>();
    auto worker = std::move(idle_.back());
    idle_.pop_back();
    return worker;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<vae::GroupWorker>> idle_;
};

// Memory that is used again in each step.
struct StepMemory {
  KeptWorkers workers;
  std::vector<float> parts;
};

// Writes the gradient and the loss of a batch to sums [kSums].
void sum_gradients(const Cpu& cpu, const VaeBatch& batch, const float* parameters, double kl_weight, StepMemory& memory,
                   float* sums) {
  const auto beats = std::ssize(batch.indices);
  const auto count = parts_of(beats);
  auto& parts = memory.parts;
  parts.resize(count * vae::kSums);
  const auto sum_parts = [&](vae::GroupWorker& worker, std::int64_t first_part, std::int64_t last_part) {
    std::array<const float*, vae::kGroupBeats> rows, eps;
    for (std::int64_t part = first_part; part < last_part; ++part) {
      worker.clear_sums();
      for_each_group(part * kPartBeats, std::min((part + 1) * kPartBeats, beats), [&](std::int64_t first, int n) {
        for (int i = 0; i < n; ++i) {
          rows[i] = batch.rows.data() + std::int64_t{batch.indices[first + i]} * vae::kPoints;
          eps[i] = batch.eps.data() + (first + i) * vae::kLatents;
        }
        worker.load(rows.data(), n);
        worker.add_gradients(parameters, eps.data(), static_cast<float>(kl_weight));
      });
      worker.read_sums(parameters, &parts[part * vae::kSums]);
    }
  };
  parallel_for(cpu, count, 1, [&](std::int64_t first, std::int64_t last) {
    memory.workers.with_worker([&](vae::GroupWorker& worker) { sum_parts(worker, first, last); });
  });
  std::fill_n(sums, vae::kSums, 0.0f);
  for (std::int64_t part = 0; part < count; ++part)
    for (int i = 0; i < vae::kSums; ++i) sums[i] += parts[part * vae::kSums + i];
}

}  // namespace

void check_batch(const VaeBatch& batch, std::span<const float> parameters) {
  BEATSCAN_EXPECTS(parameters.size() == vae::kParameters, "vae_step: not the parameters of this topology");
  BEATSCAN_EXPECTS(batch.rows.size() % vae::kPoints == 0 && batch.eps.size() == batch.indices.size() * vae::kLatents,
                   "vae_step: bad shape");
}

void vae_gradients(Cpu& cpu, const VaeBatch& batch, std::span<const float> parameters, double kl_weight,
                   std::span<float> gradients, std::span<float> loss) {
  check_batch(batch, parameters);
  BEATSCAN_EXPECTS(gradients.size() == vae::kParameters && loss.size() == 1, "vae_gradients: bad shape");
  StepMemory memory;
  std::array<float, vae::kSums> sums;
  sum_gradients(cpu, batch, parameters.data(), kl_weight, memory, sums.data());
  std::copy_n(sums.data(), vae::kParameters, gradients.data());
  loss[0] = sums[vae::kLossSlot];
}

template <>
struct VaeEpochs<Cpu>::Steps {
  std::vector<float> mean = std::vector<float>(vae::kParameters), square = mean;  // Adam's moments
  StepMemory memory;
  std::array<float, vae::kSums> sums;
  std::int64_t done = 0;

  void adam(std::span<float> parameters, const VaeStepOptions& options) {
    const AdamStep step = adam_step(static_cast<double>(++done), options.learning_rate, options.rate_decay);
    for (int i = 0; i < vae::kParameters; ++i) parameters[i] -= adam_change(sums[i], step, mean[i], square[i]);
  }
};

template <>
VaeEpochs<Cpu>::VaeEpochs(Cpu& cpu, const VaeBatch& epoch, const VaeStepOptions& options, std::span<float> parameters)
    : context_(cpu), epoch_(epoch), options_(options), parameters_(parameters), steps_(std::make_unique<Steps>()) {
  BEATSCAN_EXPECTS(options.batch_beats > 0, "VaeEpochs: empty batches");
  check_batch(epoch, parameters);
}

template <>
VaeEpochs<Cpu>::~VaeEpochs() = default;

template <>
double VaeEpochs<Cpu>::run() {
  double loss = 0;
  const auto& [rows, indices, eps] = epoch_;
  for (std::size_t first = 0; first < indices.size(); first += options_.batch_beats) {
    const auto beats = std::min<std::size_t>(options_.batch_beats, indices.size() - first);
    const VaeBatch batch{rows, indices.subspan(first, beats),
                         eps.subspan(first * vae::kLatents, beats * vae::kLatents)};
    sum_gradients(context_, batch, parameters_.data(), options_.kl_weight, steps_->memory, steps_->sums.data());
    loss += steps_->sums[vae::kLossSlot];
    steps_->adam(parameters_, options_);
  }
  return loss;
}

template <>
AdamState VaeEpochs<Cpu>::adam() {
  return {steps_->mean, steps_->square, steps_->done};
}

template <>
void VaeEpochs<Cpu>::set_adam(const AdamState& state) {
  check_adam(state);
  steps_->mean = state.mean;
  steps_->square = state.square;
  steps_->done = state.steps;
}

void check_adam(const AdamState& state) {
  BEATSCAN_EXPECTS(state.mean.size() == vae::kParameters && state.square.size() == vae::kParameters && state.steps >= 0,
                   "VaeEpochs: not Adam's state of this topology");
}

std::int64_t scored_beats(const VaeBatch& batch) {
  return batch.indices.empty() ? std::ssize(batch.rows) / vae::kPoints : std::ssize(batch.indices);
}

std::int64_t checked_beats(const VaeBatch& batch, std::span<const float> parameters, const VaeScores& scores) {
  const std::int64_t beats = scored_beats(batch);
  BEATSCAN_EXPECTS(parameters.size() == vae::kParameters, "vae_score: not the parameters of this topology");
  BEATSCAN_EXPECTS(std::ssize(batch.rows) % vae::kPoints == 0 &&
                       (batch.eps.empty() || std::ssize(batch.eps) == beats * vae::kLatents) &&
                       std::ssize(scores.error) == beats && std::ssize(scores.kl) == beats &&
                       std::ssize(scores.latents) == beats * vae::kLatents,
                   "vae_score: bad shape");
  return beats;
}

void vae_score(Cpu& cpu, const VaeBatch& batch, std::span<const float> parameters, const VaeScores& scores) {
  const std::int64_t beats = checked_beats(batch, parameters, scores);
  parallel_for(cpu, beats, kPartBeats, [&](std::int64_t begin, std::int64_t end) {
    vae::GroupWorker worker;
    std::array<const float*, vae::kGroupBeats> rows, eps;
    for_each_group(begin, end, [&](std::int64_t first, int n) {
      for (int i = 0; i < n; ++i) {
        const std::int64_t row = batch.indices.empty() ? first + i : batch.indices[first + i];
        rows[i] = batch.rows.data() + row * vae::kPoints;
        if (!batch.eps.empty()) eps[i] = batch.eps.data() + (first + i) * vae::kLatents;
      }
      worker.load(rows.data(), n);
      worker.score(parameters.data(), batch.eps.empty() ? nullptr : eps.data(), &scores.error[first], &scores.kl[first],
                   &scores.latents[first * vae::kLatents]);
    });
  });
}

void check_decoded_error(std::int64_t rows, std::int64_t latents, std::int64_t parameters, std::int64_t error) {
  BEATSCAN_EXPECTS(parameters == vae::kParameters && rows == error * vae::kPoints && latents == error * vae::kLatents,
                   "vae_decoded_error: bad shape");
}

void vae_decoded_error(Cpu& cpu, std::span<const float> rows, std::span<const float> latents,
                       std::span<const float> parameters, std::span<float> error) {
  check_decoded_error(std::ssize(rows), std::ssize(latents), std::ssize(parameters), std::ssize(error));
  parallel_for(cpu, std::ssize(error), kPartBeats, [&](std::int64_t begin, std::int64_t end) {
    vae::GroupWorker worker;
    std::array<const float*, vae::kGroupBeats> group_rows, group_latents;
    for_each_group(begin, end, [&](std::int64_t first, int n) {
      for (int i = 0; i < n; ++i) {
        group_rows[i] = rows.data() + (first + i) * vae::kPoints;
        group_latents[i] = latents.data() + (first + i) * vae::kLatents;
      }
      worker.load(group_rows.data(), n);
      worker.decoded_error(parameters.data(), group_latents.data(), &error[first]);
    });
  });
}

void vae_decode(std::span<const float> latents, std::span<const float> parameters, std::span<float> rows) {
  const std::int64_t count = std::ssize(latents) / vae::kLatents;
  BEATSCAN_EXPECTS(std::ssize(parameters) == vae::kParameters && std::ssize(latents) == count * vae::kLatents &&
                       std::ssize(rows) == count * vae::kPoints,
                   "vae_decode: bad shape");
  static thread_local vae::GroupWorker worker;  // clearing its memory takes longer than decoding a few beats
  std::array<const float*, vae::kGroupBeats> group_latents;
  for_each_group(0, count, [&](std::int64_t first, int n) {
    for (int i = 0; i < n; ++i) group_latents[i] = latents.data() + (first + i) * vae::kLatents;
    worker.decode(parameters.data(), group_latents.data(), n, &rows[first * vae::kPoints]);
  });
}

}  // namespace beatscan
