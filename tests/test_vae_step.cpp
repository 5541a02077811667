// The fused step against an independent PyTorch model in float64 (tests/reference/vae.py) and its own definition.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "kernels/check.h"
#include "kernels/vae_step.h"
#include "tests/backends.h"
#include "tests/read_npy.h"

namespace beatscan {
namespace {

constexpr double kKlWeight = 0.1;

template <class T>
std::vector<T> stored(const std::string& name) {
  return read_npy<T>(std::filesystem::path(BEATSCAN_SOURCE_DIR) / "tests/reference/expected/vae" / (name + ".npy"))
      .values;
}

// The stored arrays PREFIX.NAME of all parameters as one vector.
template <class T>
std::vector<T> stored_parameters(const std::string& prefix) {
  std::vector<T> flat(vae::kParameters);
  for (const auto& parameter : vae::kParameterTable)
    std::ranges::copy(stored<T>(prefix + "." + parameter.name), flat.begin() + parameter.offset);
  return flat;
}

// ||a - b|| / ||b||
double relative_error(const auto* a, const auto* b, int size) {
  double difference = 0, norm = 0;
  for (int i = 0; i < size; ++i) {
    difference += std::pow(static_cast<double>(a[i]) - b[i], 2);
    norm += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(difference / norm);
}

// float32 against float64: some hundred roundings of 6e-8 each in sums of many beats times 256 terms.
void expect_close(const std::vector<float>& found, const auto& expected, double tolerance = 1e-5) {
  for (const auto& parameter : vae::kParameterTable)
    EXPECT_LT(relative_error(&found[parameter.offset], &expected[parameter.offset], parameter.size), tolerance)
        << parameter.name;
}

struct Gradient {
  std::vector<float> values;
  float loss;
};

template <class Context>
class VaeStep : public OnBackend<Context> {
 protected:
  Gradient gradient(const std::vector<std::int32_t>& indices, const std::vector<float>& eps) {
    return gradient(this->context(), indices, eps);
  }
  Gradient gradient(Context& context, const std::vector<std::int32_t>& indices, const std::vector<float>& eps) {
    const auto device_rows = from_host(context, rows), device_eps = from_host(context, eps);
    const auto device_indices = from_host(context, indices);
    const auto device_parameters = from_host(context, parameters);
    auto values = from_host(context, std::vector<float>(vae::kParameters, NAN));  // everything has to be written
    auto loss = from_host(context, std::vector<float>(1, NAN));
    vae_gradients(context, {device_rows, device_indices, device_eps}, device_parameters, kKlWeight, values, loss);
    return {to_host(context, values), to_host(context, loss)[0]};
  }

  // Beats 0, 1, .. of the stored ones over and over, with noise of their own.
  std::vector<std::int32_t> many_indices(int n) {
    std::vector<std::int32_t> indices(n);
    for (int i = 0; i < n; ++i) indices[i] = static_cast<std::int32_t>(i * 5 % (rows.size() / vae::kPoints));
    return indices;
  }
  std::vector<float> many_eps(int n) {
    std::mt19937 random(n);
    std::normal_distribution<float> normal;
    std::vector<float> noise(n * vae::kLatents);
    for (float& value : noise) value = normal(random);
    return noise;
  }

  std::vector<float> rows = stored<float>("x"), eps = stored<float>("eps");
  std::vector<float> parameters = stored_parameters<float>("w");
};
TYPED_TEST_SUITE(VaeStep, Backends, BackendNames);

std::vector<std::int32_t> counted(std::int64_t n) {
  std::vector<std::int32_t> indices(n);
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

TYPED_TEST(VaeStep, GradientAndLossAgreeWithTheReference) {
  const auto found = this->gradient(counted(37), this->eps);
  EXPECT_NEAR(found.loss / stored<double>("loss")[0], 1, 1e-6);
  expect_close(found.values, stored_parameters<double>("g"));
}

TYPED_TEST(VaeStep, GradientOfABatchIsTheSumOfItsBeats) {
  for (const int n : {2, 7, 8, 9, 37, 127, 1023, 1024, 1025, 2100}) {
    SCOPED_TRACE(n);
    const auto indices = this->many_indices(n);
    const auto eps = this->many_eps(n);
    const auto whole = this->gradient(indices, eps);
    std::vector<double> sum(vae::kParameters);
    double loss = 0;
    for (int first = 0, size = 1; first < n; first += size, size = std::min(2 * size + 1, n - first)) {
      const auto part = this->gradient({indices.begin() + first, indices.begin() + first + size},
                                       {eps.begin() + 2 * first, eps.begin() + 2 * (first + size)});
      for (int i = 0; i < vae::kParameters; ++i) sum[i] += part.values[i];
      loss += part.loss;
    }
    EXPECT_NEAR(whole.loss / loss, 1, 1e-6);
    expect_close(whole.values, sum);
  }
}

TYPED_TEST(VaeStep, IsZeroForNoBeats) {
  const auto found = this->gradient({}, {});
  EXPECT_EQ(found.loss, 0);
  EXPECT_EQ(found.values, std::vector<float>(vae::kParameters, 0.0f));
}

TYPED_TEST(VaeStep, GradientRepeatsItselfBitForBit) {
  const auto indices = this->many_indices(1025);
  const auto eps = this->many_eps(1025);
  const auto first = this->gradient(indices, eps), second = this->gradient(indices, eps);
  EXPECT_EQ(first.values, second.values);
  EXPECT_EQ(first.loss, second.loss);
}

// Alpha's gradient is a quotient with alpha below (vae_layout.h): finite at 0, and continuous around it.
TYPED_TEST(VaeStep, TakesSmallAndNegativeAlpha) {
  const auto alpha_gradient = [&](float alpha) {
    this->parameters[vae::kAlpha] = alpha;
    return this->gradient(counted(37), this->eps).values[vae::kAlpha];
  };
  EXPECT_TRUE(std::isfinite(alpha_gradient(0)));
  EXPECT_NEAR(alpha_gradient(-0.01f) / alpha_gradient(0.01f), 1, 0.1);
}

TYPED_TEST(VaeStep, RefusesBadShapes) {
  auto& context = this->context();
  const auto rows = from_host(context, this->rows), eps = from_host(context, this->eps);
  const auto indices = from_host(context, counted(36));
  auto parameters = from_host(context, this->parameters);
  Buffer<float, TypeParam> gradients(context, vae::kParameters), loss(context, 1);
  EXPECT_THROW(vae_gradients(context, {rows, indices, eps}, parameters, kKlWeight, gradients, loss), Error);
  const VaeBatch epoch{rows, indices, eps.span().subspan(2)};
  EXPECT_THROW(VaeEpochs<TypeParam>(context, epoch, {0, kKlWeight, 1e-3}, parameters), Error);
  EXPECT_THROW(VaeEpochs<TypeParam>(context, epoch, {8, kKlWeight, 1e-3}, parameters.span().subspan(1)), Error);
  EXPECT_THROW(VaeEpochs<TypeParam>(context, {rows, indices, eps}, {8, kKlWeight, 1e-3}, parameters), Error);
}

template <class Context>
class VaeEpoch : public VaeStep<Context> {
 protected:
  // Epochs over the stored beats, in their order and with their noise; returns losses and the parameters after each.
  struct Course {
    std::vector<double> losses;
    std::vector<std::vector<float>> parameters;
  };
  Course train(Context& context, int epochs, int batch_beats) {
    const auto device_rows = from_host(context, this->rows), device_eps = from_host(context, this->eps);
    const auto order = from_host(context, counted(std::ssize(this->rows) / vae::kPoints));
    auto device_parameters = from_host(context, this->parameters);
    VaeEpochs<Context> training(context, {device_rows, order, device_eps}, {batch_beats, kKlWeight, 1e-3},
                                device_parameters);
    Course course;
    for (int epoch = 0; epoch < epochs; ++epoch) {
      course.losses.push_back(training.run());
      course.parameters.push_back(to_host(context, device_parameters));
    }
    return course;
  }
};
TYPED_TEST_SUITE(VaeEpoch, Backends, BackendNames);

TYPED_TEST(VaeEpoch, StepsAgreeWithTheReference) {
  const auto course = this->train(this->context(), 6, 37);
  const auto losses = stored<double>("losses");
  for (int step = 0; step < 6; ++step) EXPECT_NEAR(course.losses[step] / losses[step], 1, 1e-5) << step;
  expect_close(course.parameters[0], stored_parameters<double>("a"));
}

// Against gradients of each batch and Adam as its authors wrote it, in float64.
TYPED_TEST(VaeEpoch, TakesASmallerLastBatch) {
  const auto course = this->train(this->context(), 3, 16);
  std::vector<double> weights(this->parameters.begin(), this->parameters.end());
  std::vector<double> mean(weights.size()), square(weights.size());
  const auto indices = counted(37);
  int step = 0;
  for (int epoch = 0; epoch < 3; ++epoch) {
    double loss = 0;
    for (const auto& [first, last] : {std::pair(0, 16), std::pair(16, 32), std::pair(32, 37)}) {
      this->parameters.assign(weights.begin(), weights.end());
      const auto batch = this->gradient({indices.begin() + first, indices.begin() + last},
                                        {this->eps.begin() + 2 * first, this->eps.begin() + 2 * last});
      loss += batch.loss;
      ++step;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const double g = batch.values[i];
        mean[i] = 0.9 * mean[i] + 0.1 * g;
        square[i] = 0.999 * square[i] + 0.001 * g * g;
        weights[i] -=
            1e-3 * (mean[i] / (1 - std::pow(0.9, step))) / (std::sqrt(square[i] / (1 - std::pow(0.999, step))) + 1e-8);
      }
    }
    EXPECT_NEAR(course.losses[epoch] / loss, 1, 1e-5);
    expect_close(course.parameters[epoch], weights);
  }
}

TYPED_TEST(VaeEpoch, RepeatsItselfBitForBit) {
  const auto first = this->train(this->context(), 3, 16), second = this->train(this->context(), 3, 16);
  EXPECT_EQ(first.losses, second.losses);
  EXPECT_EQ(first.parameters, second.parameters);
}

TEST(VaeEpochOnCpu, SameBitsForAnyNumberOfThreads) {
  struct Fixture : VaeEpoch<Cpu> {
    void TestBody() override {}
    using VaeEpoch<Cpu>::train;
    using VaeStep<Cpu>::rows, VaeStep<Cpu>::eps;
  } fixture;
  for (int i = 0; i < 3; ++i) {  // 296 beats: several parts of the work
    fixture.rows.insert(fixture.rows.end(), fixture.rows.begin(), fixture.rows.end());
    fixture.eps.insert(fixture.eps.end(), fixture.eps.begin(), fixture.eps.end());
  }
  Cpu one(1), four(4);
  EXPECT_EQ(fixture.train(one, 2, 200).parameters, fixture.train(four, 2, 200).parameters);
}

template <class Context>
class VaeScore : public VaeStep<Context> {
 protected:
  struct Scores {
    std::vector<float> error, kl, latents;
  };
  Scores score(const std::vector<float>& rows, const std::vector<std::int32_t>& indices = {},
               const std::vector<float>& eps = {}) {
    auto& context = this->context();
    const std::int64_t beats = indices.empty() ? std::ssize(rows) / vae::kPoints : std::ssize(indices);
    const auto device_rows = from_host(context, rows), device_eps = from_host(context, eps);
    const auto device_indices = from_host(context, indices);
    const auto device_parameters = from_host(context, this->parameters);
    Buffer<float, Context> error(context, beats), kl(context, beats), latents(context, beats * vae::kLatents);
    vae_score(context, {device_rows, device_indices, device_eps}, device_parameters, {error, kl, latents});
    return {to_host(context, error), to_host(context, kl), to_host(context, latents)};
  }
};
TYPED_TEST_SUITE(VaeScore, Backends, BackendNames);

TYPED_TEST(VaeScore, AgreesWithTheReference) {
  const auto found = this->score(this->rows);
  const auto error = stored<double>("error_at_mean"), kl = stored<double>("kl"), mu = stored<double>("mu");
  EXPECT_LT(relative_error(found.error.data(), error.data(), 37), 1e-5);
  EXPECT_LT(relative_error(found.kl.data(), kl.data(), 37), 1e-5);
  EXPECT_LT(relative_error(found.latents.data(), mu.data(), 74), 1e-5);
}

// The loss with noise is what training computes: the same sum from another kernel.
TYPED_TEST(VaeScore, WithNoiseSumsToTheLossOfTheBatch) {
  for (const int n : {1, 37, 500}) {
    SCOPED_TRACE(n);
    const auto indices = this->many_indices(n);
    const auto eps = this->many_eps(n);
    const auto found = this->score(this->rows, indices, eps);
    double loss = 0;
    for (int i = 0; i < n; ++i) loss += found.error[i] + kKlWeight * found.kl[i];
    EXPECT_NEAR(loss / this->gradient(indices, eps).loss, 1, 1e-5);
    const auto quiet = this->score(this->rows, indices);
    EXPECT_EQ(found.latents, quiet.latents);
    EXPECT_NE(found.error, quiet.error);
  }
}

TYPED_TEST(VaeScore, RefusesBadShapes) {
  EXPECT_THROW(this->score(this->rows, {0, 1}, {0.5f, 0.5f, 0.5f}), Error);
  this->parameters.pop_back();
  EXPECT_THROW(this->score(this->rows), Error);
}

// A row's scores do not depend on the rows around it.
TYPED_TEST(VaeScore, TakesAnyNumberOfRows) {
  const auto all = this->score(this->rows);
  for (const int n : {0, 1, 7, 8, 9, 15, 16, 17, 1023, 5000}) {
    SCOPED_TRACE(n);
    std::vector<float> rows;
    for (int i = 0; i < n; ++i) rows.insert(rows.end(), &this->rows[i % 37 * 256], &this->rows[i % 37 * 256] + 256);
    const auto found = this->score(rows);
    ASSERT_EQ(std::ssize(found.latents), 2 * n);
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(found.error[i], all.error[i % 37]) << i;
      EXPECT_EQ(found.kl[i], all.kl[i % 37]) << i;
      EXPECT_EQ(found.latents[2 * i + 1], all.latents[i % 37 * 2 + 1]) << i;
    }
  }
}

}  // namespace
}  // namespace beatscan
