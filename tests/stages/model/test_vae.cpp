// Compares the model with an independent PyTorch model, tests/reference/vae.py, that was written from the description
// alone.
#include <gtest/gtest.h>
#include <torch/optim/adam.h>

#include "stages/model/torch/torch_bridge.h"
#include "stages/model/torch/vae_module.h"
#include "stages/model/vae.h"
#include "stages/model/vae_output.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/read_npy.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

const fs::path kExpected = fs::path(source_folder()) / "tests/reference/expected";

template <class T>
torch::Tensor stored(const std::string& name) {
  const auto array = read_npy<T>(kExpected / "vae" / (name + ".npy"));
  const auto type = std::is_same_v<T, double> ? torch::kFloat64 : torch::kFloat32;
  return torch::from_blob(const_cast<T*>(array.values.data()), array.shape, type).clone();
}

// ||a - b|| / ||b||
double relative_error(const torch::Tensor& a, const torch::Tensor& b) {
  const auto reference = b.to(torch::kFloat64);
  return ((a.detach().to(torch::kCPU, torch::kFloat64) - reference).norm() / reference.norm()).item<double>();
}

template <class Context>
class Vae : public OnBackend<Context> {
 protected:
  // Loads the reference's weights, inputs and noise onto the context's device.
  void SetUp() override {
    OnBackend<Context>::SetUp();
    if (testing::Test::IsSkipped()) return;
    device = torch_device(this->context());
    for (const auto& parameter : module.named_parameters()) {
      const torch::NoGradGuard no_grad;
      parameter.value().copy_(stored<float>("w." + parameter.key()));
    }
    module.to(device);
    x = stored<float>("x").to(device);
    eps = stored<float>("eps").to(device);
  }
  torch::Tensor loss() { return batch_loss(module, x, eps, 0.1); }

  torch::Device device = torch::kCPU;
  VaeModule module{VaeOptions{}, 256};
  torch::Tensor x, eps;
};
TYPED_TEST_SUITE(Vae, Backends, BackendNames);

TYPED_TEST(Vae, HasThePublishedParameters) {
  std::int64_t count = 0;
  for (const auto& parameter : this->module.parameters()) count += parameter.numel();
  EXPECT_EQ(count, 1618);
  EXPECT_EQ(check_topology(VaeOptions{}, 256), 1618);
}

// The tolerance is for float32 against float64: some hundred roundings of 6e-8 each in sums of 37 x 256 terms.
TYPED_TEST(Vae, LossAgreesWithTheReference) {
  const torch::NoGradGuard no_grad;
  EXPECT_LT(relative_error(this->loss().reshape({1}), stored<double>("loss")), 1e-5);
  const auto posterior = this->module.encode(this->x);
  EXPECT_LT(relative_error(posterior.mu, stored<double>("mu")), 1e-5);
  EXPECT_LT(relative_error(posterior.logvar, stored<double>("logvar")), 1e-5);
  EXPECT_LT(relative_error(kl_divergence(posterior), stored<double>("kl")), 1e-5);
  EXPECT_LT(
      relative_error(reconstruction_error(this->module.decode(posterior.mu), this->x), stored<double>("error_at_mean")),
      1e-5);
}

TYPED_TEST(Vae, GradientsAgreeWithTheReference) {
  this->loss().backward();
  for (const auto& parameter : this->module.named_parameters())
    EXPECT_LT(relative_error(parameter.value().grad(), stored<double>("g." + parameter.key())), 1e-5)
        << parameter.key();
}

TYPED_TEST(Vae, AdamAgreesWithTheReference) {
  torch::optim::Adam adam(this->module.parameters(), torch::optim::AdamOptions(1e-3));
  const auto losses = stored<double>("losses");
  for (int step = 0; step <= 5; ++step) {
    adam.zero_grad();
    const auto loss = this->loss();
    EXPECT_NEAR(loss.template item<double>() / losses[step].item<double>(), 1, 1e-5) << "step " << step;
    loss.backward();
    adam.step();
    if (step > 0) continue;
    for (const auto& parameter : this->module.named_parameters())
      EXPECT_LT(relative_error(parameter.value(), stored<double>("a." + parameter.key())), 1e-5) << parameter.key();
  }
}

}  // namespace
}  // namespace beatscan
