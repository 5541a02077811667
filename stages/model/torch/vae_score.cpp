#include "stages/model/torch/vae_score.h"

#include <ATen/Functions.h>
#include <torch/utils.h>

#include "kernels/runtime/error.h"
#include "stages/common/rows.h"
#include "stages/model/torch/torch_bridge.h"
#include "stages/model/torch/vae_module.h"

namespace beatscan {
namespace {

template <class Context>
RowScoreBuffers<Context> score_in_batches(Context& context, VaeModule& module, const Rows<Context>& rows) {
  const torch::NoGradGuard no_grad;
  const auto all = view(context, rows.values, {rows.count, rows.points});
  RowScoreBuffers<Context> scores{
      {context, rows.count}, {context, rows.count}, {context, rows.count * module.latents()}};
  auto errors = view(context, scores.reconstruction_error, {rows.count}), kl = view(context, scores.kl, {rows.count}),
       latents = view(context, scores.latents, {rows.count, module.latents()});
  for (std::int64_t first = 0; first < rows.count; first += kEvaluationBatch) {
    const auto last = std::min(first + kEvaluationBatch, rows.count);
    const auto batch = all.slice(0, first, last);
    const auto posterior = module.encode(batch);
    errors.slice(0, first, last).copy_(reconstruction_error(module.decode(posterior.mu), batch));
    kl.slice(0, first, last).copy_(kl_divergence(posterior));
    latents.slice(0, first, last).copy_(posterior.mu);
  }
  return scores;
}

template <class Context>
Buffer<float, Context> decoded_errors_in_batches(Context& context, VaeModule& module, const Rows<Context>& rows,
                                                 std::span<const float> latents) {
  const torch::NoGradGuard no_grad;
  const auto all = view(context, rows.values, {rows.count, rows.points});
  const auto z = view(context, latents, {rows.count, module.latents()});
  Buffer<float, Context> errors(context, rows.count);
  auto target = view(context, errors, {rows.count});
  for (std::int64_t first = 0; first < rows.count; first += kEvaluationBatch) {
    const auto last = std::min(first + kEvaluationBatch, rows.count);
    target.slice(0, first, last)
        .copy_(reconstruction_error(module.decode(z.slice(0, first, last)), all.slice(0, first, last)));
  }
  return errors;
}

}  // namespace

template <class Context>
RowScoreBuffers<Context> module_scores(Context& context, const VaeModel& model, const Rows<Context>& rows) {
  return with_device_errors(context, [&] {
    const TorchScope scope(context);
    return score_in_batches(context, model.module(), rows);
  });
}

template <class Context>
Buffer<float, Context> module_decoded_errors(Context& context, const VaeModel& model, const Rows<Context>& rows,
                                             std::span<const float> latents) {
  return with_device_errors(context, [&] {
    const TorchScope scope(context);
    return decoded_errors_in_batches(context, model.module(), rows, latents);
  });
}

template <class Context>
std::vector<float> module_decoded_rows(Context& context, const VaeModel& model, std::span<const float> latents) {
  VaeModule& module = model.module();
  BEATSCAN_EXPECTS(std::ssize(latents) % module.latents() == 0, "decoded_rows: bad shape");
  if (latents.empty()) return {};
  return with_device_errors(context, [&] {
    const torch::NoGradGuard no_grad;
    const auto z = view(Cpu(1), latents, {-1, module.latents()});
    const TorchScope scope(context);
    return host_values<float>(module.decode(z.to(torch_device(context))));
  });
}

#define BEATSCAN_VAE_SCORE(Context)                                                                      \
  template RowScoreBuffers<Context> module_scores(Context&, const VaeModel&, const Rows<Context>&);      \
  template Buffer<float, Context> module_decoded_errors(Context&, const VaeModel&, const Rows<Context>&, \
                                                        std::span<const float>);                         \
  template std::vector<float> module_decoded_rows(Context&, const VaeModel&, std::span<const float>);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_VAE_SCORE)

}  // namespace beatscan
