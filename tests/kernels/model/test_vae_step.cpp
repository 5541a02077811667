// Tests the fused step against an independent PyTorch model in float64, tests/reference/vae.py, and its own definition.
#include <cmath>
#include <cstdlib>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kernels/machine/host_threads.h"
#include "tests/support/expect_error.h"
#include "tests/support/vae_reference.h"

namespace beatscan {
namespace {

TYPED_TEST_SUITE(VaeStep, Backends, BackendNames);

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

// Alpha's gradient is a quotient whose divisor is alpha, see vae_layout.h. It is finite at 0 and continuous around it.
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
  EXPECT_THROW_KIND(vae_gradients(context, {rows, indices, eps}, parameters, kKlWeight, gradients, loss),
                    ErrorKind::internal);
  const VaeBatch epoch{rows, indices, eps.span().subspan(2)};
  EXPECT_THROW_KIND(VaeEpochs<TypeParam>(context, epoch, {0, kKlWeight, 1e-3}, parameters), ErrorKind::internal);
  EXPECT_THROW_KIND(VaeEpochs<TypeParam>(context, epoch, {8, kKlWeight, 1e-3}, parameters.span().subspan(1)),
                    ErrorKind::internal);
  EXPECT_THROW_KIND(VaeEpochs<TypeParam>(context, {rows, indices, eps}, {8, kKlWeight, 1e-3}, parameters),
                    ErrorKind::internal);
}

template <class Context>
class VaeEpoch : public VaeStep<Context> {
 protected:
  // Runs epochs over the stored beats, in their order and with their noise. Returns the losses and parameters after
  // each.
  struct Course {
    std::vector<double> losses;
    std::vector<std::vector<float>> parameters;
  };
  Course train(Context& context, int epochs, int batch_beats, double rate_decay = 1) {
    const auto device_rows = from_host(context, this->rows), device_eps = from_host(context, this->eps);
    const auto order = from_host(context, counted(std::ssize(this->rows) / vae::kPoints));
    auto device_parameters = from_host(context, this->parameters);
    VaeEpochs<Context> training(context, {device_rows, order, device_eps}, {batch_beats, kKlWeight, 1e-3, rate_decay},
                                device_parameters);
    Course course;
    for (int epoch = 0; epoch < epochs; ++epoch) {
      course.losses.push_back(training.run());
      course.parameters.push_back(to_host(context, device_parameters));
    }
    return course;
  }

  // `batches` holds the first beat of each batch, and the number of beats.
  Course expected_course(int epochs, const std::vector<int>& batches, double rate_decay) {
    std::vector<double> weights(this->parameters.begin(), this->parameters.end());
    std::vector<double> mean(weights.size()), square(weights.size());
    const auto indices = counted(batches.back());
    Course course;
    double step = 0;
    for (int epoch = 0; epoch < epochs; ++epoch) {
      course.losses.push_back(0);
      for (std::size_t part = 0; part + 1 < batches.size(); ++part) {
        const int first = batches[part], last = batches[part + 1];
        this->parameters.assign(weights.begin(), weights.end());
        const auto batch = this->gradient({indices.begin() + first, indices.begin() + last},
                                          {this->eps.begin() + 2 * first, this->eps.begin() + 2 * last});
        course.losses.back() += batch.loss;
        const double rate = 1e-3 * std::pow(rate_decay, step++);
        for (std::size_t i = 0; i < weights.size(); ++i) {
          const double g = batch.values[i];
          mean[i] = 0.9 * mean[i] + 0.1 * g;
          square[i] = 0.999 * square[i] + 0.001 * g * g;
          weights[i] -= rate * (mean[i] / (1 - std::pow(0.9, step))) /
                        (std::sqrt(square[i] / (1 - std::pow(0.999, step))) + 1e-8);
        }
      }
      course.parameters.emplace_back(weights.begin(), weights.end());
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

// Compares epochs with the gradients of each batch and Adam as its authors wrote it, in float64, with a rate that falls
// or stays.
TYPED_TEST(VaeEpoch, TakesASmallerLastBatchAndAFallingRate) {
  for (const double rate_decay : {1.0, 0.8}) {
    SCOPED_TRACE(rate_decay);
    const auto start = this->parameters;
    const auto course = this->train(this->context(), 3, 16, rate_decay);
    const auto expected = this->expected_course(3, {0, 16, 32, 37}, rate_decay);
    for (int epoch = 0; epoch < 3; ++epoch) {
      EXPECT_NEAR(course.losses[epoch] / expected.losses[epoch], 1, 1e-5);
      expect_close(course.parameters[epoch], expected.parameters[epoch]);
    }
    this->parameters = start;
  }
}

// The rate also falls from one epoch to the next. After the first step, of 1e-3, each has a rate of 1e-12 or less: a
// ten thousandth of float32's last digit of most parameters.
TYPED_TEST(VaeEpoch, ARateThatHasFallenToNothingMovesNothing) {
  const auto course = this->train(this->context(), 3, 37, 1e-9);
  EXPECT_GT(relative_error(course.parameters[0].data(), this->parameters.data(), vae::kParameters), 1e-4);
  for (const int epoch : {1, 2})
    EXPECT_LT(relative_error(course.parameters[epoch].data(), course.parameters[0].data(), vae::kParameters), 1e-9);
}

TYPED_TEST(VaeEpoch, RepeatsItselfBitForBit) {
  const auto first = this->train(this->context(), 3, 16), second = this->train(this->context(), 3, 16);
  EXPECT_EQ(first.losses, second.losses);
  EXPECT_EQ(first.parameters, second.parameters);
}

// Trains on 300 beats, in 150 steps, and on all 37, in 19.
TYPED_TEST(VaeEpoch, TwoTrainingsInTurnAreAsOneAfterTheOther) {
  auto& context = this->context();
  const auto rows = from_host(context, this->rows), many_eps = from_host(context, this->many_eps(300)),
             eps = from_host(context, this->eps);
  const auto many = from_host(context, this->many_indices(300)), all = from_host(context, counted(37));
  const auto trained = [&](bool in_turn) {
    auto a_parameters = from_host(context, this->parameters), b_parameters = from_host(context, this->parameters);
    VaeEpochs<TypeParam> a(context, {rows, many, many_eps}, {2, kKlWeight, 1e-3, 0.99}, a_parameters);
    VaeEpochs<TypeParam> b(context, {rows, all, eps}, {2, kKlWeight, 1e-3}, b_parameters);
    std::vector<double> losses;
    for (int epoch = 0; epoch < 2; ++epoch) {
      losses.push_back(a.run());
      if (in_turn) b.run();
    }
    if (!in_turn) b.run(), b.run();
    return std::tuple(losses, to_host(context, a_parameters), to_host(context, b_parameters));
  };
  const auto in_turn = trained(true);
  const Buffer<float, TypeParam> taken(context, vae::kParameters);  // so that memory lies elsewhere the second time
  EXPECT_EQ(in_turn, trained(false));
  EXPECT_LT(std::get<0>(in_turn)[1], std::get<0>(in_turn)[0]) << "the loss falls";
}

// 301 steps, and a last batch of one beat. The expected values are the CPU's, whose sums have another order: after so
// many steps rounding is visible. On Cuda an epoch is one launch, and on a GPU with little shared memory 22 graphs of
// up to 16 steps, or 5 of up to 128.
TYPED_TEST(VaeEpoch, ManyStepsAgreeWithTheCpu) {
  const auto after_epoch = [&](auto& context) {
    const auto rows = from_host(context, this->rows), eps = from_host(context, this->many_eps(601));
    const auto indices = from_host(context, this->many_indices(601));
    auto parameters = from_host(context, this->parameters);
    VaeEpochs training(context, {rows, indices, eps}, {2, kKlWeight, 1e-3}, parameters);
    return std::pair(training.run(), to_host(context, parameters));
  };
  Cpu cpu(2);
  const auto [loss, parameters] = after_epoch(this->context());
  const auto [expected_loss, expected] = after_epoch(cpu);
  EXPECT_NEAR(loss / expected_loss, 1, 1e-3);
  EXPECT_LT(relative_error(parameters.data(), expected.data(), vae::kParameters), 1e-2);
#ifdef BEATSCAN_WITH_CUDA
  if constexpr (std::is_same_v<TypeParam, Cuda>) {
    setenv("BEATSCAN_SHARED_KB", "163", 1);
    Cuda small(this->context().device());
    const auto [graphs_loss, by_graphs] = after_epoch(small);
    EXPECT_NEAR(loss / graphs_loss, 1, 1e-3);
    EXPECT_LT(relative_error(parameters.data(), by_graphs.data(), vae::kParameters), 1e-2);
    // A thread that shares the processors queues longer graphs.
    const Share one = 1;
    const ShareOfThisThread share(&one);
    const auto [again_loss, again] = after_epoch(small);
    EXPECT_EQ(again_loss, graphs_loss);
    EXPECT_EQ(again, by_graphs);
    unsetenv("BEATSCAN_SHARED_KB");
  }
#endif
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

}  // namespace
}  // namespace beatscan
