// Checks topologies, and determines which of them need LibTorch.
#include "kernels/runtime/error.h"
#include "stages/model/fused_parameters.h"
#include "stages/model/vae_options.h"

namespace beatscan {
namespace {

// Returns the number of parameters of a model.
std::int64_t parameters_of(const VaeOptions& options, std::int64_t row_points) {
  const auto depth = options.channels.size();
  const auto convolution = [](std::int64_t in, std::int64_t out) { return in * out * 3 + out; };
  std::int64_t parameters = 1, in = 1;  // alpha
  for (const std::int64_t out : options.channels) {
    parameters += convolution(in, out);
    in = out;
  }
  parameters += 2 * convolution(in, options.latents);
  in /= 2;
  const std::int64_t restored = in * (row_points >> depth);
  parameters += options.latents * restored + restored;
  for (std::size_t i = 1; i < depth; ++i, in /= 2) parameters += convolution(in, in / 2);
  return parameters + convolution(in, 1);
}

}  // namespace

bool needs_libtorch(const VaeOptions& options, std::int64_t row_points) {
  return options.engine == VaeEngine::autograd || !fused_step_covers(options, row_points);
}

std::int64_t check_topology(const VaeOptions& options, std::int64_t row_points) {
  const auto refuse_channels = [](const std::string& what) { fail(ErrorKind::usage, "vae.channels", what); };
  const auto depth = options.channels.size();
  if (depth == 0 || depth > 16) refuse_channels("1 to 16 numbers are needed");
  if (options.channels.front() < 2 || options.channels.front() % 2 != 0) refuse_channels("the first must be even");
  for (std::size_t i = 1; i < depth; ++i)
    if (options.channels[i] != 2 * options.channels[i - 1]) refuse_channels("each must be twice the one before it");
  if (row_points <= 0 || row_points % (std::int64_t{1} << depth) != 0)
    refuse_channels("each halves the row once, so the " + std::to_string(row_points) +
                    " points of a row must be a multiple of 2^" + std::to_string(depth));
  if (options.engine == VaeEngine::fused && !fused_step_covers(options, row_points))
    fail(ErrorKind::usage, "vae.engine",
         "\"fused\" is for channels [4, 8, 16], 2 latents and rows of 256 points; \"auto\" takes any");
  return parameters_of(options, row_points);
}

}  // namespace beatscan
